<?xml version="1.0" encoding="UTF-8"?>
<!-- Notation as data: which sign an operator has, how tightly it binds, what a symbol of OpenMath is called.
     Static, so that it is computed once and not for every formula. -->
<xsl:stylesheet version="3.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:xs="http://www.w3.org/2001/XMLSchema"
    xmlns:map="http://www.w3.org/2005/xpath-functions/map"
    xmlns:f="urn:proofmatch:content-to-presentation"
    xpath-default-namespace="http://www.w3.org/1998/Math/MathML">

  <!-- How tightly things bind. An expression below the level its place asks for gets parentheses. -->
  <xsl:variable name="ANYTHING" static="yes" select="0"/>
  <xsl:variable name="SUM" static="yes" select="80"/>
  <xsl:variable name="PRODUCT" static="yes" select="90"/>
  <xsl:variable name="APPLICATION" static="yes" select="110"/>
  <xsl:variable name="SCRIPT" static="yes" select="120"/>
  <xsl:variable name="ATOM" static="yes" select="130"/>

  <!-- Infix operators: element, sign, level, where an operand of the same family needs no parentheses, family.
       Comparisons bind more loosely than ∧ and ∨, and membership more tightly, as in the specification's
       samples: (x < 5) ∧ x ∈ ℕ, true ∨ P = true. -->
  <xsl:variable name="infix" static="yes" as="map(xs:string, map(*))" select="map:merge(
      for $operator in (
          'formulae-sequence , -10 any sequence',
          'conditional | 5 none conditional',
          'implies ⇒ 10 last implies',
          'equivalent ≡ 10 none equivalent',
          'eq = 20 none comparison',
          'neq ≠ 20 none comparison',
          'lt &lt; 20 none comparison',
          'gt > 20 none comparison',
          'leq ≤ 20 none comparison',
          'geq ≥ 20 none comparison',
          'approx ≃ 20 none comparison',
          'factorof | 20 none comparison',
          'tendsto → 20 none comparison',
          'or ∨ 30 any or',
          'xor xor 30 any xor',
          'and ∧ 40 any and',
          'in ∈ 50 none membership',
          'notin ∉ 50 none membership',
          'subset ⊆ 50 none membership',
          'prsubset ⊂ 50 none membership',
          'notsubset ⊈ 50 none membership',
          'notprsubset ⊄ 50 none membership',
          'union ∪ 60 any union',
          'setdiff ∖ 60 first setdiff',
          'intersect ∩ 65 any intersect',
          'cartesianproduct × 70 none cartesianproduct',
          'plus + 80 any sum',
          'minus − 80 first sum',
          'rem mod 88 first rem',
          'times &#x2062; 90 any product',
          'divide / 90 first product',
          'scalarproduct . 90 none scalarproduct',
          'vectorproduct × 90 none vectorproduct',
          'outerproduct ⊗ 90 any outerproduct',
          'compose ∘ 100 any compose'),
        $columns in array { tokenize($operator, ' ') }
      return map { $columns(1): map { 'sign': $columns(2), 'level': xs:integer($columns(3)),
                                      'nest': $columns(4), 'family': $columns(5) } })"/>

  <!-- Operators written before what they collect. The first four are always so, the others when they
       bind a variable. -->
  <xsl:variable name="collecting" static="yes" select="'sum', 'product', 'int', 'limit'"/>
  <xsl:variable name="big" static="yes" as="map(xs:string, xs:string)" select="map {
      'sum': '∑', 'product': '∏', 'int': '∫', 'limit': 'lim', 'plus': '∑', 'times': '∏',
      'and': '⋀', 'or': '⋁', 'xor': 'xor', 'union': '⋃', 'intersect': '⋂', 'cartesianproduct': '∏',
      'outerproduct': '⨂', 'compose': '∘' }"/>

  <!-- Functions that take a simple argument without parentheses: sin x. -->
  <xsl:variable name="elementary" static="yes" as="xs:string*" select="'ln', 'log', 'determinant',
      (for $arc in ('', 'arc'), $name in ('sin', 'cos', 'tan', 'sec', 'csc', 'cot'), $h in ('', 'h')
       return $arc || $name || $h)"/>

  <!-- Functions whose sign is not their element's name. -->
  <xsl:variable name="function-signs" static="yes" as="map(xs:string, xs:string)" select="map {
      'determinant': 'det', 'divergence': 'div', 'ident': 'id', 'real': 'ℛ', 'imaginary': 'ℑ', 'sdev': 'σ',
      'int': '∫', 'sum': '∑', 'product': '∏', 'limit': 'lim', 'forall': '∀', 'exists': '∃', 'lambda': 'λ',
      'not': '¬', 'factorial': '!', 'root': '√', 'partialdiff': '∂', 'diff': 'd',
      'set-suchthat': 'suchthat', 'list-suchthat': 'suchthat', 'set-map': 'map', 'list-map': 'map',
      'index-first-selector': 'selector', 'strict-moment': 'moment' }"/>

  <!-- Opening sign, closing sign. The angle brackets around a mean are U+2329 and U+232A, as in the conversion
       with which the paper's corpus was made; those around a moment U+3008 and U+3009, which Unicode declares
       equivalent to them. -->
  <xsl:variable name="fences" static="yes" as="map(xs:string, xs:string+)" select="map {
      'abs': ('|', '|'), 'card': ('|', '|'), 'floor': ('⌊', '⌋'), 'ceiling': ('⌈', '⌉'),
      'mean': ('&#x2329;', '&#x232A;'), 'moment': ('&#x3008;', '&#x3009;'), 'set': ('{', '}'), 'list': ('(', ')'),
      'closed': ('[', ']'), 'open': ('(', ')'), 'open-closed': ('(', ']'), 'closed-open': ('[', ')') }"/>

  <!-- Constants: their sign, and their font if they have one. -->
  <xsl:variable name="constants" static="yes" as="map(xs:string, xs:string+)" select="map {
      'integers': ('Z', 'double-struck'), 'reals': ('R', 'double-struck'), 'rationals': ('Q', 'double-struck'),
      'naturalnumbers': ('N', 'double-struck'), 'complexes': ('C', 'double-struck'),
      'primes': ('P', 'double-struck'), 'exponentiale': 'e', 'imaginaryi': 'i', 'notanumber': 'NaN',
      'true': 'true', 'false': 'false', 'emptyset': '∅', 'pi': 'π', 'eulergamma': 'γ', 'infinity': '∞' }"/>

  <xsl:variable name="qualifiers" static="yes"
      select="tokenize('bvar lowlimit uplimit condition domainofapplication degree logbase momentabout')"/>

  <xsl:variable name="presentation" static="yes" select="tokenize('math mi mn mo mtext mspace ms mglyph mrow mfrac
      msqrt mroot mstyle merror mpadded mphantom mfenced menclose msub msup msubsup munder mover munderover
      mmultiscripts mprescripts none mtable mtr mlabeledtr mtd maligngroup malignmark maction mstack mlongdiv
      msgroup msrow mscarries mscarry msline')"/>

  <!-- Elements with their parts inside, which strict markup and LaTeXML apply like operators. -->
  <xsl:variable name="containers" static="yes"
      select="tokenize('set list vector matrix matrixrow interval lambda piecewise piece otherwise')"/>

  <!-- Every name under which a csymbol means the element of the same name, whatever its dictionary. -->
  <xsl:variable name="pragmatic" static="yes" as="xs:string*" select="
      map:keys($infix)[. != 'conditional'], $elementary, $collecting, map:keys($constants), $containers,
      tokenize('abs card floor ceiling mean sdev variance median mode moment ident domain codomain image inverse
          quotient factorial max min power root gcd lcm conjugate arg real imaginary exp not forall exists
          diff partialdiff divergence grad curl laplacian transpose selector')"/>

  <!-- Symbols of OpenMath's and LaTeXML's dictionaries that are called otherwise in pragmatic markup.
       After a space: the closure of an interval. -->
  <xsl:variable name="renamed" static="yes" as="map(xs:string, xs:string)" select="map {
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
