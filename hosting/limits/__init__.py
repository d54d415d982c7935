"""Limits of the load that one visitor, and all of them, may cause.

``sessions`` limits open pages and clicks, ``uploads`` files, ``rate_limit`` experiments; each
rejection is a sentence in the visitor's language. Runs in the lab are limited by
``playground.sandbox.quotas``.
"""
