<?xml version="1.0" encoding="UTF-8"?>
<!-- Notation as data: which sign an operator has, how tightly it binds, what a symbol of OpenMath is called. -->
<xsl:stylesheet version="3.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:xs="http://www.w3.org/2001/XMLSchema"
    xmlns:map="http://www.w3.org/2005/xpath-functions/map"
    xmlns:f="urn:proofmatch:content-to-presentation"
    xpath-default-namespace="http://www.w3.org/1998/Math/MathML">

  <!-- How tightly things bind. An expression below the level its place asks for gets parentheses. -->
  <xsl:variable name="ANYTHING" select="0"/>
  <xsl:variable name="SUM" select="80"/>
  <xsl:variable name="PRODUCT" select="90"/>
  <xsl:variable name="APPLICATION" select="110"/>
  <xsl:variable name="SCRIPT" select="120"/>
  <xsl:variable name="ATOM" select="130"/>

  <!-- An infix operator. `nest` says where an operand of the same family needs no parentheses. -->
  <xsl:function name="f:infix" as="map(*)">
    <xsl:param name="sign" as="xs:string"/>
    <xsl:param name="level" as="xs:integer"/>
    <xsl:param name="nest" as="xs:string"/>
    <xsl:param name="family" as="xs:string"/>
    <xsl:sequence select="map { 'sign': $sign, 'level': $level, 'nest': $nest, 'family': $family }"/>
  </xsl:function>

  <!-- Comparisons bind more loosely than ∧ and ∨, and membership more tightly, as in the specification's
       samples: (x < 5) ∧ x ∈ ℕ, true ∨ P = true. -->
  <xsl:variable name="infix" as="map(xs:string, map(*))" select="map {
      'formulae-sequence': f:infix(',', -10, 'any', 'sequence'),
      'conditional': f:infix('|', 5, 'none', 'conditional'),
      'implies': f:infix('⇒', 10, 'last', 'implies'),
      'equivalent': f:infix('≡', 10, 'none', 'equivalent'),
      'eq': f:infix('=', 20, 'none', 'relation'),
      'neq': f:infix('≠', 20, 'none', 'relation'),
      'lt': f:infix('&lt;', 20, 'none', 'relation'),
      'gt': f:infix('>', 20, 'none', 'relation'),
      'leq': f:infix('≤', 20, 'none', 'relation'),
      'geq': f:infix('≥', 20, 'none', 'relation'),
      'approx': f:infix('≃', 20, 'none', 'relation'),
      'factorof': f:infix('|', 20, 'none', 'relation'),
      'tendsto': f:infix('→', 20, 'none', 'relation'),
      'or': f:infix('∨', 30, 'any', 'or'),
      'xor': f:infix('xor', 30, 'any', 'xor'),
      'and': f:infix('∧', 40, 'any', 'and'),
      'in': f:infix('∈', 50, 'none', 'set relation'),
      'notin': f:infix('∉', 50, 'none', 'set relation'),
      'subset': f:infix('⊆', 50, 'none', 'set relation'),
      'prsubset': f:infix('⊂', 50, 'none', 'set relation'),
      'notsubset': f:infix('⊈', 50, 'none', 'set relation'),
      'notprsubset': f:infix('⊄', 50, 'none', 'set relation'),
      'union': f:infix('∪', 60, 'any', 'union'),
      'setdiff': f:infix('∖', 60, 'first', 'setdiff'),
      'intersect': f:infix('∩', 65, 'any', 'intersect'),
      'cartesianproduct': f:infix('×', 70, 'none', 'cartesianproduct'),
      'plus': f:infix('+', $SUM, 'any', 'sum'),
      'minus': f:infix('−', $SUM, 'first', 'sum'),
      'rem': f:infix('mod', 88, 'first', 'rem'),
      'times': f:infix('&#x2062;', $PRODUCT, 'any', 'product'),
      'divide': f:infix('/', $PRODUCT, 'first', 'product'),
      'scalarproduct': f:infix('.', $PRODUCT, 'none', 'scalarproduct'),
      'vectorproduct': f:infix('×', $PRODUCT, 'none', 'vectorproduct'),
      'outerproduct': f:infix('⊗', $PRODUCT, 'any', 'outerproduct'),
      'compose': f:infix('∘', 100, 'any', 'compose') }"/>

  <!-- Operators written before what they collect. The first four are always so, the others when they
       bind a variable. -->
  <xsl:variable name="collecting" select="'sum', 'product', 'int', 'limit'"/>
  <xsl:variable name="big" as="map(xs:string, xs:string)" select="map {
      'sum': '∑', 'product': '∏', 'int': '∫', 'limit': 'lim', 'plus': '∑', 'times': '∏',
      'and': '⋀', 'or': '⋁', 'xor': 'xor', 'union': '⋃', 'intersect': '⋂', 'cartesianproduct': '∏',
      'outerproduct': '⨂', 'compose': '∘' }"/>

  <!-- Functions that take a simple argument without parentheses: sin x. -->
  <xsl:variable name="elementary" as="xs:string*" select="'ln', 'log', 'determinant',
      (for $arc in ('', 'arc'), $name in ('sin', 'cos', 'tan', 'sec', 'csc', 'cot'), $h in ('', 'h')
       return $arc || $name || $h)"/>

  <!-- Functions whose sign is not their element's name. -->
  <xsl:variable name="function-signs" as="map(xs:string, xs:string)" select="map {
      'determinant': 'det', 'divergence': 'div', 'ident': 'id', 'real': 'ℛ', 'imaginary': 'ℑ', 'sdev': 'σ',
      'int': '∫', 'sum': '∑', 'product': '∏', 'limit': 'lim', 'forall': '∀', 'exists': '∃', 'lambda': 'λ',
      'not': '¬', 'factorial': '!', 'root': '√', 'partialdiff': '∂', 'diff': 'd',
      'set-suchthat': 'suchthat', 'list-suchthat': 'suchthat', 'set-map': 'map', 'list-map': 'map',
      'index-first-selector': 'selector', 'strict-moment': 'moment' }"/>

  <!-- Opening sign, closing sign. The published corpus has U+2329 and U+232A around a mean, U+3008 and U+3009
       (to which Unicode declares them equivalent) around a moment. -->
  <xsl:variable name="fences" as="map(xs:string, xs:string+)" select="map {
      'abs': ('|', '|'), 'card': ('|', '|'), 'floor': ('⌊', '⌋'), 'ceiling': ('⌈', '⌉'),
      'mean': ('&#x2329;', '&#x232A;'), 'moment': ('&#x3008;', '&#x3009;'), 'set': ('{', '}'), 'list': ('(', ')'), 'vector': ('(', ')'),
      'matrix': ('(', ')'), 'matrixrow': ('(', ')'),
      'closed': ('[', ']'), 'open': ('(', ')'), 'open-closed': ('(', ']'), 'closed-open': ('[', ')') }"/>

  <!-- Constants: their sign, and their font if they have one. -->
  <xsl:variable name="constants" as="map(xs:string, xs:string+)" select="map {
      'integers': ('Z', 'double-struck'), 'reals': ('R', 'double-struck'), 'rationals': ('Q', 'double-struck'),
      'naturalnumbers': ('N', 'double-struck'), 'complexes': ('C', 'double-struck'),
      'primes': ('P', 'double-struck'), 'exponentiale': 'e', 'imaginaryi': 'i', 'notanumber': 'NaN',
      'true': 'true', 'false': 'false', 'emptyset': '∅', 'pi': 'π', 'eulergamma': 'γ', 'infinity': '∞' }"/>

  <xsl:variable name="qualifiers" select="'bvar', 'lowlimit', 'uplimit', 'condition', 'domainofapplication',
      'degree', 'logbase', 'momentabout'"/>

  <xsl:variable name="presentation" select="'math', 'mi', 'mn', 'mo', 'mtext', 'mspace', 'ms', 'mglyph', 'mrow', 'mfrac',
      'msqrt', 'mroot', 'mstyle', 'merror', 'mpadded', 'mphantom', 'mfenced', 'menclose', 'msub', 'msup', 'msubsup',
      'munder', 'mover', 'munderover', 'mmultiscripts', 'mprescripts', 'none', 'mtable', 'mtr', 'mlabeledtr', 'mtd',
      'maligngroup', 'malignmark', 'maction', 'mstack', 'mlongdiv', 'msgroup', 'msrow', 'mscarries', 'mscarry',
      'msline'"/>

  <!-- Elements with their parts inside, which strict markup and LaTeXML apply like operators. -->
  <xsl:variable name="containers" select="'set', 'list', 'vector', 'matrix', 'matrixrow', 'interval', 'lambda',
      'piecewise', 'piece', 'otherwise'"/>

  <!-- Every name under which a csymbol means the element of the same name, whatever its dictionary. -->
  <xsl:variable name="pragmatic" as="xs:string*" select="
      (map:keys($infix)[. != 'conditional'], $elementary, $collecting, map:keys($constants), $containers,
       'abs', 'card', 'floor', 'ceiling', 'mean', 'sdev', 'variance', 'median', 'mode', 'moment', 'ident',
       'domain', 'codomain', 'image', 'inverse', 'quotient', 'factorial', 'max', 'min', 'power', 'root', 'gcd',
       'lcm', 'conjugate', 'arg', 'real', 'imaginary', 'exp', 'not', 'forall', 'exists', 'diff', 'partialdiff',
       'divergence', 'grad', 'curl', 'laplacian', 'transpose', 'selector')"/>

  <!-- Symbols of OpenMath's and LaTeXML's dictionaries that are called otherwise in pragmatic markup.
       After a space: the closure of an interval. -->
  <xsl:variable name="renamed" as="map(xs:string, xs:string)" select="map {
      'arith1:unary_minus': 'minus', 'integer1:remainder': 'rem', 'complex1:argument': 'arg',
      'complex1:complex_cartesian': 'complex-cartesian', 'complex1:complex_polar': 'complex-polar',
      'nums1:rational': 'divide', 'nums1:based_integer': 'based-integer', 'nums1:e': 'exponentiale',
      'nums1:i': 'imaginaryi', 'nums1:gamma': 'eulergamma', 'nums1:NaN': 'notanumber',
      'setname1:Z': 'integers', 'setname1:Q': 'rationals', 'setname1:N': 'naturalnumbers',
      'setname1:R': 'reals', 'setname1:C': 'complexes', 'setname1:P': 'primes',
      'set1:size': 'card', 'set1:cartesian_product': 'cartesianproduct',
      'set3:big_union': 'union', 'set3:big_intersect': 'intersect',
      'set1:suchthat': 'set-suchthat', 'list1:suchthat': 'list-suchthat',
      'set1:map': 'set-map', 'list1:map': 'list-map',
      'fns1:left_compose': 'compose', 'fns1:identity': 'ident', 'fns1:range': 'codomain',
      'calculus1:defint': 'int', 'calculus1:nthdiff': 'nthdiff', 'veccalc1:Laplacian': 'laplacian',
      'linalg1:vector_selector': 'index-first-selector', 'linalg1:matrix_selector': 'index-first-selector',
      's_data1:moment': 'strict-moment', 's_dist1:moment': 'strict-moment',
      'interval1:interval_cc': 'interval closed', 'interval1:interval_oo': 'interval open',
      'interval1:interval_oc': 'interval open-closed', 'interval1:interval_co': 'interval closed-open',
      'interval1:integer_interval': 'interval closed', 'interval1:oriented_interval': 'interval closed',
      'ambiguous:superscript': 'superscript', 'ambiguous:subscript': 'subscript',
      'latexml:conditional': 'conditional', 'latexml:absent': 'absent', 'latexml:list': 'formulae-sequence' }"/>
</xsl:stylesheet>
