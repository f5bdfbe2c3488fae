"""A real browser for the pages we write: Debian's chromium, headless, without a network.

`fixtures.visit` opens a page, and no test that uses it can end well with an error on the console or with a
request to another host.
"""
