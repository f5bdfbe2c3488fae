"""A real browser for our pages: Debian's chromium, headless, without a network.

`fixtures.visit` opens a page, and makes the test fail if there is an error on the console or a request to
another host.
"""
