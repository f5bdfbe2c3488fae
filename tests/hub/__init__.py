"""A Hugging Face Hub on loopback, real enough for the real clients.

`server.LoopbackHub` starts it, `client.Client` runs a program against it, `fixtures` has both for pytest.
What it does when is copied from the Hub's behaviour as its clients see it, errors included.
"""
