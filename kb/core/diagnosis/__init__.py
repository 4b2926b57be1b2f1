"""Why a log line was blamed: from the logs of a failed run to the line, the node, the cause and the fix.

A pure core that knows no Django: it takes streams and returns frozen dataclasses. What the knowledge base adds to a
diagnosis (causes with evidence, known issues, playbooks) is asked for by whoever shows it.
"""
