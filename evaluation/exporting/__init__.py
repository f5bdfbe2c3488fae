"""Releases and judgements in the formats of other tools."""
