"""Words that hold sentences and books together, and do not tell what a text is about."""

_WORDS = """
    a an the this that these those it its we i you our is are be been being was were has have had do does
    of in on at to from by with for as into over under and or but if then so thus hence since because such
    which where when there let see say can may must any all every each some one also only
    lemma lemmas proposition propositions theorem theorems corollary definition definitions remark section
    proof follows
"""
COMMON_WORDS = frozenset(_WORDS.split())
