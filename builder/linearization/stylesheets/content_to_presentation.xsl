<?xml version="1.0" encoding="UTF-8"?>
<!-- Content MathML 3 (and the deprecated parts of 1 and 2) → Presentation MathML.
     canonical.xsl reduces the many spellings of content markup to one, this file and applications.xsl lay
     that out, precedence.xsl sets parentheses, and tables.xsl has the signs. Presentation markup is copied,
     and content inside it converted. -->
<xsl:stylesheet version="3.0"
    xmlns="http://www.w3.org/1998/Math/MathML"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:xs="http://www.w3.org/2001/XMLSchema"
    xmlns:map="http://www.w3.org/2005/xpath-functions/map"
    xmlns:f="urn:proofmatch:content-to-presentation"
    xpath-default-namespace="http://www.w3.org/1998/Math/MathML"
    exclude-result-prefixes="#all">

  <xsl:include href="tables.xsl"/>
  <xsl:include href="canonical.xsl"/>
  <xsl:include href="precedence.xsl"/>
  <xsl:include href="applications.xsl"/>

  <xsl:output method="xml" encoding="UTF-8" omit-xml-declaration="yes" indent="no"/>
  <xsl:mode on-no-match="shallow-copy"/>

  <xsl:template match="/">
    <xsl:variable name="named" as="element()">
      <xsl:apply-templates select="*" mode="names">
        <xsl:with-param name="budget" tunnel="yes" select="$share-budget idiv max((1, count(//share)))"/>
      </xsl:apply-templates>
    </xsl:variable>
    <xsl:variable name="canonical" as="element()">
      <xsl:apply-templates select="$named" mode="shapes"/>
    </xsl:variable>
    <xsl:apply-templates select="$canonical"/>
  </xsl:template>

  <!-- ============ building blocks ============ -->

  <xsl:function name="f:mo" as="element()">
    <xsl:param name="sign" as="xs:string"/>
    <mo><xsl:value-of select="$sign"/></mo>
  </xsl:function>

  <xsl:function name="f:mi" as="element()">
    <xsl:param name="name" as="xs:string"/>
    <mi><xsl:value-of select="$name"/></mi>
  </xsl:function>

  <xsl:function name="f:row" as="element()?">
    <xsl:param name="items" as="element()*"/>
    <xsl:choose>
      <xsl:when test="count($items) le 1">
        <xsl:sequence select="$items"/>
      </xsl:when>
      <xsl:otherwise>
        <mrow><xsl:sequence select="$items"/></mrow>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:function>

  <!-- The nodes with commas between them, as one script. -->
  <xsl:function name="f:script" as="element()?">
    <xsl:param name="nodes" as="element()*"/>
    <xsl:variable name="items" as="element()*">
      <xsl:apply-templates select="$nodes" mode="item"/>
    </xsl:variable>
    <xsl:sequence select="f:row($items)"/>
  </xsl:function>

  <!-- A base with scripts, whichever there are. Integrals have them beside, other signs below and above. -->
  <xsl:function name="f:scripted" as="element()">
    <xsl:param name="base" as="element()"/>
    <xsl:param name="low" as="element()?"/>
    <xsl:param name="high" as="element()?"/>
    <xsl:param name="beside" as="xs:boolean"/>
    <xsl:choose>
      <xsl:when test="$low or $high">
        <xsl:element name="m{if ($beside) then 'sub'[$low] || 'sup'[$high] else 'under'[$low] || 'over'[$high]}">
          <xsl:sequence select="$base, $low, $high"/>
        </xsl:element>
      </xsl:when>
      <xsl:otherwise>
        <xsl:sequence select="$base"/>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:function>

  <xsl:function name="f:superscript" as="element()">
    <xsl:param name="base" as="element()"/>
    <xsl:param name="exponent" as="element()?"/>
    <xsl:sequence select="f:scripted($base, (), $exponent, true())"/>
  </xsl:function>

  <xsl:function name="f:subscript" as="element()">
    <xsl:param name="base" as="element()"/>
    <xsl:param name="index" as="element()?"/>
    <xsl:sequence select="f:scripted($base, $index, (), true())"/>
  </xsl:function>

  <!-- The nodes with commas between them and fences around. -->
  <xsl:template name="fenced">
    <xsl:param name="nodes" as="element()*"/>
    <xsl:param name="fences" as="xs:string+" select="'(', ')'"/>
    <mrow>
      <xsl:sequence select="f:mo($fences[1])"/>
      <xsl:apply-templates select="$nodes" mode="item"/>
      <xsl:sequence select="f:mo($fences[2])"/>
    </mrow>
  </xsl:template>

  <!-- { what | condition }; if it is not said what, the variables. -->
  <xsl:template name="builder">
    <xsl:param name="node" as="element()" select="."/>
    <xsl:param name="fences" as="xs:string+"/>
    <mrow>
      <xsl:sequence select="f:mo($fences[1])"/>
      <xsl:apply-templates select="if (f:parts($node)) then f:parts($node) else f:variables($node)" mode="item"/>
      <xsl:if test="$node/condition">
        <mo>|</mo>
      </xsl:if>
      <xsl:apply-templates select="$node/condition/*" mode="item"/>
      <xsl:sequence select="f:mo($fences[2])"/>
    </mrow>
  </xsl:template>

  <!-- ============ tokens ============ -->

  <xsl:template match="ci | csymbol | cbytes | cs">
    <xsl:choose>
      <xsl:when test="* and @mathvariant">
        <mstyle>
          <xsl:copy-of select="@mathvariant"/>
          <xsl:call-template name="mixed"/>
        </mstyle>
      </xsl:when>
      <xsl:when test="*">
        <mrow><xsl:call-template name="mixed"/></mrow>
      </xsl:when>
      <xsl:otherwise>
        <xsl:element name="{if (self::cs) then 'ms' else if (self::cbytes) then 'mtext' else 'mi'}">
          <xsl:copy-of select="@mathvariant | @class"/>
          <xsl:value-of select="if (self::cs) then . else normalize-space()"/>
        </xsl:element>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- An identifier written with presentation markup. -->
  <xsl:template name="mixed">
    <xsl:for-each select="node()[self::* or normalize-space()]">
      <xsl:choose>
        <xsl:when test="self::*">
          <xsl:apply-templates select="."/>
        </xsl:when>
        <xsl:otherwise>
          <xsl:sequence select="f:mi(normalize-space())"/>
        </xsl:otherwise>
      </xsl:choose>
    </xsl:for-each>
  </xsl:template>

  <xsl:template match="cn">
    <xsl:variable name="number" as="element()">
      <xsl:choose>
        <xsl:when test="*">
          <mrow><xsl:call-template name="mixed"/></mrow>
        </xsl:when>
        <xsl:otherwise>
          <mn>
            <xsl:copy-of select="@mathvariant | @class"/>
            <xsl:value-of select="."/>
          </mn>
        </xsl:otherwise>
      </xsl:choose>
    </xsl:variable>
    <xsl:variable name="base" as="element()*">
      <xsl:for-each select="@base[normalize-space() != '10']">
        <mn><xsl:value-of select="normalize-space()"/></mn>
      </xsl:for-each>
    </xsl:variable>
    <xsl:sequence select="f:subscript($number, $base)"/>
  </xsl:template>

  <!-- ============ elements that stand for themselves ============ -->

  <!-- A constant, or an operator that is not applied: its sign, or else its name. -->
  <xsl:template match="*[f:operator(.)]">
    <xsl:variable name="name" select="local-name()"/>
    <xsl:choose>
      <xsl:when test="map:contains($constants, $name)">
        <mi>
          <xsl:for-each select="$constants($name)[2]">
            <xsl:attribute name="mathvariant" select="."/>
          </xsl:for-each>
          <xsl:value-of select="$constants($name)[1]"/>
        </mi>
      </xsl:when>
      <xsl:when test="self::times">
        <mo>×</mo>
      </xsl:when>
      <!-- LaTeXML's words for a notation are no signs on their own. -->
      <xsl:when test="map:contains($infix, $name) and not($name = ('formulae-sequence', 'conditional'))">
        <xsl:sequence select="f:mo($infix($name)?sign)"/>
      </xsl:when>
      <xsl:when test="self::variance | self::laplacian">
        <msup>
          <mi><xsl:value-of select="if (self::variance) then 'σ' else '∇'"/></mi>
          <mn>2</mn>
        </msup>
      </xsl:when>
      <xsl:when test="self::delimited">
        <xsl:sequence select="f:row((f:mo(@open), f:mo(@close)))"/>
      </xsl:when>
      <xsl:otherwise>
        <xsl:sequence select="f:mi(($function-signs($name), $name)[1])"/>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- Unknown elements, errors, and qualifiers that qualify nothing: what is inside. -->
  <xsl:template match="*[not(f:is-presentation(.))]" priority="-0.6">
    <mrow><xsl:apply-templates/></mrow>
  </xsl:template>

  <!-- ============ containers ============ -->

  <xsl:template match="set | list | interval" priority="1">
    <xsl:variable name="fences" select="
        if (self::interval) then $fences((@closure[map:contains($fences, .)], 'closed')[1])
        else $fences(local-name())"/>
    <xsl:choose>
      <xsl:when test="bvar">
        <xsl:call-template name="builder">
          <xsl:with-param name="fences" select="$fences"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:otherwise>
        <xsl:call-template name="fenced">
          <xsl:with-param name="nodes" select="f:parts(.)"/>
          <xsl:with-param name="fences" select="$fences"/>
        </xsl:call-template>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- A vector is a column. -->
  <xsl:template match="vector | matrix | matrixrow" priority="1">
    <mrow>
      <mo>(</mo>
      <mtable>
        <xsl:for-each select="if (self::matrixrow) then . else f:parts(.)">
          <mtr>
            <xsl:for-each select="if (self::matrixrow) then * else .">
              <mtd><xsl:apply-templates select="." mode="operand"/></mtd>
            </xsl:for-each>
          </mtr>
        </xsl:for-each>
      </mtable>
      <mo>)</mo>
    </mrow>
  </xsl:template>

  <xsl:template match="vector[bvar] | matrixrow[bvar]" priority="2">
    <xsl:call-template name="builder">
      <xsl:with-param name="fences" select="'[', ']'"/>
    </xsl:call-template>
  </xsl:template>

  <!-- [ mᵢⱼ | mᵢⱼ = entry ; condition ] -->
  <xsl:template match="matrix[bvar]" priority="2">
    <xsl:variable name="entry" select="f:subscript(f:mi('m'), f:script(f:variables(.)))"/>
    <mrow>
      <mo>[</mo>
      <xsl:sequence select="$entry, f:mo('|'), $entry, f:mo('=')"/>
      <xsl:apply-templates select="f:parts(.)" mode="body">
        <xsl:with-param name="level" select="$infix('eq')?level + 1"/>
      </xsl:apply-templates>
      <xsl:if test="condition">
        <mo>;</mo>
      </xsl:if>
      <xsl:apply-templates select="condition/*" mode="item"/>
      <mo>]</mo>
    </mrow>
  </xsl:template>

  <xsl:template match="piecewise" priority="1">
    <mrow>
      <mo>{</mo>
      <mtable><xsl:apply-templates select="*"/></mtable>
    </mrow>
  </xsl:template>

  <xsl:template match="piece | otherwise" priority="1">
    <mtr>
      <mtd><xsl:apply-templates select="*[1]" mode="operand"/></mtd>
      <mtd>
        <mtext><xsl:value-of select="if (self::piece) then 'if' else 'otherwise'"/></mtext>
        <xsl:apply-templates select="*[position() gt 1]" mode="item"/>
      </mtd>
    </mtr>
  </xsl:template>

  <!-- ============ binders ============ -->

  <!-- λ x . (body), and for a binder of unknown habits B x . body -->
  <xsl:template match="lambda | bind" priority="1">
    <xsl:variable name="limits" select="(lowlimit | uplimit)/*"/>
    <mrow>
      <xsl:if test="self::lambda">
        <mo>λ</mo>
      </xsl:if>
      <xsl:apply-templates select="self::bind/*[1]" mode="base">
        <xsl:with-param name="level" select="$SCRIPT"/>
      </xsl:apply-templates>
      <xsl:apply-templates select="f:variables(.)" mode="item"/>
      <xsl:sequence select="f:mo('=')[$limits], f:script($limits)"/>
      <xsl:if test="domainofapplication">
        <mo>∈</mo>
        <xsl:apply-templates select="domainofapplication/*" mode="body">
          <xsl:with-param name="level" select="$infix('in')?level + 1"/>
        </xsl:apply-templates>
      </xsl:if>
      <xsl:sequence select="f:mo('|')[current()/condition], f:script(condition/*)"/>
      <mo>.</mo>
      <xsl:choose>
        <xsl:when test="self::lambda">
          <xsl:call-template name="fenced">
            <xsl:with-param name="nodes" select="f:parts(.)"/>
          </xsl:call-template>
        </xsl:when>
        <xsl:otherwise>
          <xsl:apply-templates select="f:arguments(.)" mode="item"/>
        </xsl:otherwise>
      </xsl:choose>
    </mrow>
  </xsl:template>
</xsl:stylesheet>
