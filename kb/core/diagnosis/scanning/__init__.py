"""One pass over the lines of all files: who wrote which kinds of lines how often, and what stands out.

What is kept grows with what is seen of different kinds, not with the number of lines.
"""
