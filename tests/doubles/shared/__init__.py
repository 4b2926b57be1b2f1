"""Tests of the tests' own GitHub: what it promises to those who test against it."""
