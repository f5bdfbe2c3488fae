<?xml version="1.0" encoding="UTF-8"?>
<!-- Questions about canonical content: what an application is, and where its operands need parentheses. -->
<xsl:stylesheet version="3.0"
    xmlns="http://www.w3.org/1998/Math/MathML"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:xs="http://www.w3.org/2001/XMLSchema"
    xmlns:map="http://www.w3.org/2005/xpath-functions/map"
    xmlns:f="urn:proofmatch:content-to-presentation"
    xpath-default-namespace="http://www.w3.org/1998/Math/MathML"
    exclude-result-prefixes="#all">

  <!-- ============ the parts of an application ============ -->

  <!-- The name of an operator or constant, which is an empty element; empty for anything else. -->
  <xsl:function name="f:operator" as="xs:string">
    <xsl:param name="node" as="node()?"/>
    <xsl:sequence select="string($node[self::* and not(node()) and not(f:is-presentation(.))
        and not(self::ci | self::cn | self::cs | self::cbytes | self::csymbol)] ! local-name())"/>
  </xsl:function>

  <xsl:function name="f:is-presentation" as="xs:boolean">
    <xsl:param name="node" as="node()"/>
    <xsl:sequence select="local-name($node) = $presentation
        or namespace-uri($node) != 'http://www.w3.org/1998/Math/MathML'"/>
  </xsl:function>

  <xsl:function name="f:arguments" as="element()*">
    <xsl:param name="apply" as="element()"/>
    <xsl:sequence select="$apply/*[position() gt 1][not(local-name() = $qualifiers)]"/>
  </xsl:function>

  <xsl:function name="f:arity" as="xs:integer">
    <xsl:param name="apply" as="element()"/>
    <xsl:sequence select="count(f:arguments($apply))"/>
  </xsl:function>

  <!-- What a container holds besides qualifiers. -->
  <xsl:function name="f:parts" as="element()*">
    <xsl:param name="container" as="element()"/>
    <xsl:sequence select="if ($container/self::apply) then f:arguments($container)
        else $container/*[not(local-name() = $qualifiers)]"/>
  </xsl:function>

  <xsl:function name="f:variables" as="element()*">
    <xsl:param name="node" as="element()?"/>
    <xsl:sequence select="$node/bvar/(* except degree)"/>
  </xsl:function>

  <xsl:function name="f:is-qualified" as="xs:boolean">
    <xsl:param name="apply" as="element()"/>
    <xsl:sequence select="exists($apply/(bvar | lowlimit | uplimit | condition | domainofapplication))"/>
  </xsl:function>

  <xsl:function name="f:is-plain" as="xs:boolean">
    <xsl:param name="apply" as="element()"/>
    <xsl:param name="arity" as="xs:integer"/>
    <xsl:sequence select="count($apply/*) = $arity + 1 and f:arity($apply) = $arity"/>
  </xsl:function>

  <!-- Is the operator written before what it collects? -->
  <xsl:function name="f:collects" as="xs:boolean">
    <xsl:param name="apply" as="element()"/>
    <xsl:variable name="operator" select="f:operator($apply/*[1])"/>
    <xsl:sequence select="$operator = $collecting or (map:contains($big, $operator)
        and ($apply/bvar or (f:is-qualified($apply) and f:arity($apply) = 1)))"/>
  </xsl:function>

  <xsl:function name="f:is-infix" as="xs:boolean">
    <xsl:param name="apply" as="element()"/>
    <xsl:sequence select="map:contains($infix, f:operator($apply/*[1])) and f:arity($apply) ge 1
        and not($apply/bvar) and not(f:collects($apply))"/>
  </xsl:function>

  <!-- ============ levels ============ -->

  <xsl:function name="f:level" as="xs:integer">
    <xsl:param name="node" as="element()"/>
    <xsl:variable name="operator" select="f:operator($node/self::apply/*[1])"/>
    <xsl:choose>
      <xsl:when test="$node/self::cn">
        <xsl:sequence select="if (f:is-negative($node)) then $PRODUCT else $ATOM"/>
      </xsl:when>
      <xsl:when test="$operator = ''">
        <xsl:sequence select="$ATOM"/>
      </xsl:when>
      <xsl:when test="f:is-sign($node) or f:collects($node)">
        <xsl:sequence select="$PRODUCT"/>
      </xsl:when>
      <xsl:when test="f:is-infix($node)">
        <xsl:sequence select="$infix($operator)?level"/>
      </xsl:when>
      <xsl:when test="$operator = ($elementary, 'not', 'max', 'min', 'partialdiff')
          or ($operator = 'diff' and $node/bvar)">
        <xsl:sequence select="$APPLICATION"/>
      </xsl:when>
      <xsl:when test="$operator = ('power', 'factorial', 'transpose', 'inverse')">
        <xsl:sequence select="$SCRIPT"/>
      </xsl:when>
      <xsl:otherwise>
        <xsl:sequence select="$ATOM"/>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:function>

  <!-- + a or − a -->
  <xsl:function name="f:is-sign" as="xs:boolean">
    <xsl:param name="node" as="element()"/>
    <xsl:sequence select="f:operator($node/self::apply/*[1]) = ('plus', 'minus') and f:is-plain($node, 1)"/>
  </xsl:function>

  <xsl:function name="f:family" as="xs:string">
    <xsl:param name="node" as="element()"/>
    <xsl:sequence select="
        if ($node/self::cn or f:is-sign($node) or $node/self::apply[f:collects(.)]) then 'product'
        else if ($node/self::apply[f:is-infix(.)]) then $infix(f:operator($node/*[1]))?family
        else ''"/>
  </xsl:function>

  <!-- The level an operand must have: operands of the same family may be as loose as the operator itself
       where it is read from that side. -->
  <xsl:function name="f:inner-level" as="xs:integer">
    <xsl:param name="operator" as="map(*)"/>
    <xsl:param name="operand" as="element()"/>
    <xsl:param name="first" as="xs:boolean"/>
    <xsl:param name="last" as="xs:boolean"/>
    <xsl:variable name="nests" select="f:family($operand) = $operator?family
        and ($operator?nest = 'any' or ($operator?nest = 'first' and $first)
             or ($operator?nest = 'last' and $last))"/>
    <xsl:sequence select="if ($nests) then $operator?level else $operator?level + 1"/>
  </xsl:function>

  <!-- Does it begin with a minus sign? -->
  <xsl:function name="f:is-negative" as="xs:boolean">
    <xsl:param name="node" as="element()"/>
    <xsl:variable name="operator" select="f:operator($node/self::apply/*[1])"/>
    <xsl:sequence select="
        if ($node/self::cn) then matches($node, '^\s*[-−]')
        else if ($operator = 'minus') then f:is-plain($node, 1)
        else $operator = ('times', 'divide') and f:is-infix($node) and f:is-negative(f:arguments($node)[1])"/>
  </xsl:function>

  <!-- The same without that sign. -->
  <xsl:function name="f:negated" as="element()">
    <xsl:param name="node" as="element()"/>
    <xsl:choose>
      <xsl:when test="$node/self::cn">
        <cn>
          <xsl:copy-of select="$node/@*"/>
          <xsl:value-of select="replace($node, '^\s*[-−]\s*', '')"/>
        </cn>
      </xsl:when>
      <xsl:when test="$node/minus and f:is-sign($node)">
        <xsl:sequence select="$node/*[2]"/>
      </xsl:when>
      <xsl:otherwise>
        <apply>
          <xsl:sequence select="$node/*[1], f:negated($node/*[2]), $node/*[position() gt 2]"/>
        </apply>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:function>

  <!-- The level down to which an expression swallows what follows it: a sum the next factor, a case
       distinction or a quantifier everything. -->
  <xsl:function name="f:reach" as="xs:integer">
    <xsl:param name="node" as="element()"/>
    <xsl:variable name="operator" select="f:operator($node/self::apply/*[1])"/>
    <xsl:choose>
      <xsl:when test="$node/(self::piecewise | self::lambda | self::bind)
          or ($operator = ('forall', 'exists') and $node/bvar)">
        <xsl:sequence select="$ANYTHING"/>
      </xsl:when>
      <xsl:when test="$operator = ''">
        <xsl:sequence select="$ATOM"/>
      </xsl:when>
      <xsl:when test="f:collects($node)">
        <xsl:sequence select="$PRODUCT"/>
      </xsl:when>
      <xsl:when test="f:is-infix($node)">
        <xsl:variable name="last" select="f:arguments($node)[last()]"/>
        <xsl:sequence select="if (f:level($last) lt f:level($node)) then $ATOM else f:reach($last)"/>
      </xsl:when>
      <xsl:otherwise>
        <xsl:sequence select="$ATOM"/>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:function>

  <!-- ============ operands ============ -->

  <!-- A node at a place of the given level, in parentheses if it would not be read as a unit there. Without
       parameters: where nothing beside it could be mistaken for a part of it.
       Operands are templates because the result of a function is copied, in a deep formula at every level. -->
  <xsl:template match="*" mode="operand">
    <xsl:param name="level" as="xs:integer" select="$ANYTHING"/>
    <xsl:param name="first" as="xs:boolean" select="true()"/>
    <xsl:param name="last" as="xs:boolean" select="true()"/>
    <xsl:variable name="fits" select="f:level(.) ge $level
        and ($first or $level lt $SUM or not(f:is-negative(.)))
        and ($last or f:reach(.) gt $level)"/>
    <xsl:choose>
      <xsl:when test="$fits">
        <xsl:apply-templates select="."/>
      </xsl:when>
      <xsl:otherwise>
        <mrow>
          <mo>(</mo>
          <xsl:apply-templates select="."/>
          <mo>)</mo>
        </mrow>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- The last operand of a prefix operator or function. -->
  <xsl:template match="*" mode="body">
    <xsl:param name="level" as="xs:integer" select="$PRODUCT"/>
    <xsl:apply-templates select="." mode="operand">
      <xsl:with-param name="level" select="$level"/>
      <xsl:with-param name="first" select="false()"/>
    </xsl:apply-templates>
  </xsl:template>

  <!-- What gets a script or stands as a function before its arguments. -->
  <xsl:template match="*" mode="base">
    <xsl:param name="level" as="xs:integer" select="$SCRIPT + 1"/>
    <xsl:apply-templates select="." mode="operand">
      <xsl:with-param name="level" select="$level"/>
      <xsl:with-param name="last" select="false()"/>
    </xsl:apply-templates>
  </xsl:template>

  <!-- One of several nodes with commas between them. -->
  <xsl:template match="*" mode="item">
    <xsl:if test="position() gt 1">
      <mo>,</mo>
    </xsl:if>
    <xsl:apply-templates select="." mode="operand"/>
  </xsl:template>
</xsl:stylesheet>
