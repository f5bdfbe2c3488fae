"""What a text is made of, word by word: features that two texts may share, and bags of them."""
