"""Resumable work: batches → parts, on this machine or on a cluster."""
