"""What pages and API share about requests: size, rate, addresses, visitors. Answers are made elsewhere."""
