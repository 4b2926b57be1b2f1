"""The public face of mirrors: their status, the hook that hosts call, and what metrics collectors read."""
