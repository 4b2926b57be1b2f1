"""The pages of diagnosis: pasting or uploading a log, the result, sharing it, and what people say of it."""
