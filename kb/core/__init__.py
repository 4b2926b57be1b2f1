"""What runs without Django, a database or the network; it imports nothing of ours but itself."""
