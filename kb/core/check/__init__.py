"""A check of a set-up as data, text and SARIF, and of a draft of a report; how much is taken of what is handed over.

How a set-up is read and judged is `kb.core.setups`; what is known comes from who asks.
"""
