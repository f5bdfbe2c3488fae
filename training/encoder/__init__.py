"""The matcher of the paper: a self-attentive or pretrained encoder and a bilinear similarity."""
