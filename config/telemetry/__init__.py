"""What is seen of the running product: request ids, one line a request, numbers, traces, reports of errors.

How logs are written is in `config.logs`, what is exported as numbers in `kb.health.numbers` and `kb.health.readings`.
"""
