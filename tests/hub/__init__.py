"""A Hugging Face Hub on loopback, realistic enough for the real clients.

`server.LoopbackHub` starts it, `client.Client` runs a program against it, and `client` has fixtures for both.
It behaves as the Hub does towards its clients, errors included.
"""
