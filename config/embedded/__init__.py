"""The servers and processes that `make up` runs on one's own machine.

Installing, starting, watching and stopping them lives here. What they serve does not, and in production
nothing of this package runs: there, an orchestrator (see compose.yaml) does its work.
"""
