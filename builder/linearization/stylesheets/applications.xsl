<?xml version="1.0" encoding="UTF-8"?>
<!-- Applications of operators and functions → Presentation MathML.
     Templates of mode `applied` stand at the operator, so that they are found by its name. -->
<xsl:stylesheet version="3.0"
    xmlns="http://www.w3.org/1998/Math/MathML"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:xs="http://www.w3.org/2001/XMLSchema"
    xmlns:f="urn:proofmatch:content-to-presentation"
    xpath-default-namespace="http://www.w3.org/1998/Math/MathML"
    exclude-result-prefixes="#all">

  <xsl:template match="apply">
    <xsl:apply-templates select="*[1]" mode="applied"/>
  </xsl:template>

  <!-- Whatever is not written in a way of its own: f(x, y), or if it binds a variable Op (body). -->
  <xsl:template match="*" mode="applied" priority="-1">
    <xsl:variable name="head" as="element()">
      <xsl:apply-templates select="." mode="base">
        <xsl:with-param name="level" select="$SCRIPT"/>
      </xsl:apply-templates>
    </xsl:variable>
    <mrow>
      <xsl:variable name="index" select="f:script(../(degree | logbase | momentabout)/*)"/>
      <xsl:sequence select="f:with-limits(f:subscript($head, $index), ..)"/>
      <xsl:if test="not(f:is-qualified(..))">
        <mo>&#x2061;</mo>
      </xsl:if>
      <xsl:call-template name="fenced">
        <xsl:with-param name="nodes" select="f:arguments(..)"/>
      </xsl:call-template>
    </mrow>
  </xsl:template>

  <!-- ============ infix operators ============ -->

  <xsl:template match="*[f:is-infix(..)]" mode="applied" priority="1">
    <xsl:variable name="operator" select="$infix(local-name())"/>
    <mrow>
      <xsl:apply-templates select="f:arguments(..)" mode="infix-operand">
        <xsl:with-param name="operator" select="$operator"/>
        <xsl:with-param name="multiplies" select="exists(self::times[not(@sign)])"/>
        <xsl:with-param name="qualified" select="..[f:is-qualified(.)]"/>
      </xsl:apply-templates>
    </mrow>
  </xsl:template>

  <!-- A sign alone: + a, − a, = a -->
  <xsl:template match="*[f:is-infix(..)][f:arity(..) = 1]" mode="applied" priority="1.5">
    <mrow>
      <xsl:sequence select="f:mo($infix(local-name())?sign)"/>
      <xsl:apply-templates select="f:arguments(..)" mode="body">
        <xsl:with-param name="level" select="
            if (self::plus | self::minus) then $PRODUCT else $infix(local-name())?level + 1"/>
      </xsl:apply-templates>
    </mrow>
  </xsl:template>

  <!-- An operand with the operator before it. a + (−b) is written a − b. -->
  <xsl:template match="*" mode="infix-operand">
    <xsl:param name="operator" as="map(*)"/>
    <xsl:param name="multiplies" as="xs:boolean"/>
    <xsl:param name="qualified" as="element()?"/>
    <xsl:variable name="first" select="position() = 1"/>
    <xsl:variable name="last" select="position() = last()"/>
    <xsl:variable name="subtracts" select="$operator?sign = '+' and not($first) and f:is-negative(.)"/>
    <xsl:variable name="operand" select="if ($subtracts) then f:negated(.) else ."/>
    <xsl:variable name="effective" select="if ($subtracts) then $infix('minus') else $operator"/>
    <xsl:if test="not($first)">
      <xsl:variable name="visible" select="$multiplies and f:needs-times-sign(preceding-sibling::*[1], .)"/>
      <xsl:variable name="sign" select="f:mo(if ($visible) then '×' else $effective?sign)"/>
      <xsl:sequence select="if ($qualified) then f:with-limits($sign, $qualified) else $sign"/>
    </xsl:if>
    <xsl:apply-templates select="$operand" mode="operand">
      <xsl:with-param name="level" select="f:inner-level($effective, $operand, $first, $last)"/>
      <xsl:with-param name="first" select="$first"/>
      <xsl:with-param name="last" select="$last"/>
    </xsl:apply-templates>
  </xsl:template>

  <!-- A number after another factor needs a visible sign, and so does 3 · 2ⁿ. -->
  <xsl:function name="f:needs-times-sign" as="xs:boolean">
    <xsl:param name="before" as="element()"/>
    <xsl:param name="factor" as="element()"/>
    <xsl:sequence select="exists($factor/self::cn) or ($before/self::cn
        and f:operator($factor/self::apply/*[1]) = ('power', 'times', 'divide')
        and f:arguments($factor)[1] ! f:needs-times-sign($before, .))"/>
  </xsl:function>

  <!-- x → a⁺ -->
  <xsl:template match="tendsto[@type = ('above', 'below')][f:arity(..) = 2]" mode="applied" priority="3">
    <mrow>
      <xsl:apply-templates select="f:arguments(..)[1]" mode="base">
        <xsl:with-param name="level" select="$infix('tendsto')?level + 1"/>
      </xsl:apply-templates>
      <mo>→</mo>
      <msup>
        <xsl:apply-templates select="f:arguments(..)[2]" mode="base">
          <xsl:with-param name="level" select="$SCRIPT"/>
        </xsl:apply-templates>
        <xsl:sequence select="f:mo(if (@type = 'above') then '+' else '−')"/>
      </msup>
    </mrow>
  </xsl:template>

  <!-- ============ operators that bind or collect ============ -->

  <!-- ∑, ∫, lim, ⋃ … -->
  <xsl:template match="*[f:collects(..)]" mode="applied" priority="2">
    <mrow>
      <xsl:sequence select="f:with-limits(f:mo($big(local-name())), ..)"/>
      <xsl:choose>
        <xsl:when test="f:arity(..) = 1">
          <xsl:apply-templates select="f:arguments(..)" mode="body"/>
        </xsl:when>
        <xsl:otherwise>
          <xsl:call-template name="fenced">
            <xsl:with-param name="nodes" select="f:arguments(..)"/>
          </xsl:call-template>
        </xsl:otherwise>
      </xsl:choose>
      <xsl:for-each select="f:variables(self::int/..)">
        <mrow>
          <mo>d</mo>
          <xsl:apply-templates select="." mode="operand"/>
        </mrow>
      </xsl:for-each>
    </mrow>
  </xsl:template>

  <!-- A sign with the qualifiers of its application below and above. -->
  <xsl:function name="f:with-limits" as="element()">
    <xsl:param name="sign" as="element()"/>
    <xsl:param name="apply" as="element()"/>
    <xsl:sequence select="if (f:is-qualified($apply))
        then f:scripted($sign, f:range($apply), f:script($apply/uplimit/*), exists($apply/*[1]/self::int))
        else $sign"/>
  </xsl:function>

  <!-- Where the variables range: x = a, x → a, x ∈ D, a condition. An integral names its variables behind. -->
  <xsl:function name="f:range" as="element()?">
    <xsl:param name="apply" as="element()"/>
    <xsl:variable name="variables" select="f:variables($apply[not(*[1]/self::int)])"/>
    <xsl:variable name="spoken" select="$apply/condition//ci/normalize-space()"/>
    <!-- When the body is the variable itself, the domain says all: ⋃ over L of S. -->
    <xsl:variable name="body" select="f:arguments($apply)/self::ci/normalize-space()"/>
    <xsl:variable name="listed" select="$variables[not(normalize-space() = $body)]"/>
    <xsl:variable name="ranges" as="element()*">
      <xsl:choose>
        <xsl:when test="$apply/lowlimit">
          <mrow>
            <xsl:apply-templates select="$variables" mode="item"/>
            <xsl:sequence select="f:mo(if ($apply/*[1]/self::limit) then '→' else '=')[$variables]"/>
            <xsl:apply-templates select="$apply/lowlimit/*" mode="item"/>
          </mrow>
        </xsl:when>
        <xsl:when test="$apply/domainofapplication">
          <mrow>
            <xsl:apply-templates select="$listed" mode="item"/>
            <xsl:sequence select="f:mo('∈')[$listed]"/>
            <xsl:apply-templates select="$apply/domainofapplication/*" mode="body">
              <xsl:with-param name="level" select="if ($listed) then $infix('in')?level + 1 else $ANYTHING"/>
            </xsl:apply-templates>
          </mrow>
        </xsl:when>
        <xsl:otherwise>
          <xsl:sequence select="f:script($variables[not(normalize-space() = $spoken)])"/>
        </xsl:otherwise>
      </xsl:choose>
      <xsl:sequence select="f:script($apply/condition/*)"/>
    </xsl:variable>
    <xsl:sequence select="f:row(($ranges[1], $ranges[2] ! (f:mo(','), .)))"/>
  </xsl:function>

  <!-- ∀ x . (condition ⇒ body), ∃ x . (condition ∧ body) -->
  <xsl:template match="forall[../bvar] | exists[../bvar]" mode="applied" priority="3">
    <xsl:variable name="link" select="$infix(if (self::forall) then 'implies' else 'and')"/>
    <mrow>
      <xsl:apply-templates select="."/>
      <xsl:apply-templates select="f:variables(..)" mode="item"/>
      <mo>.</mo>
      <mrow>
        <mo>(</mo>
        <xsl:for-each select="../condition/*, f:arguments(..)">
          <xsl:if test="position() gt 1">
            <xsl:sequence select="f:mo($link?sign)"/>
          </xsl:if>
          <!-- Two comparisons side by side are in no danger of being torn apart. -->
          <xsl:apply-templates select="." mode="operand">
            <xsl:with-param name="level" select="
                if (last() = 1 or f:level(.) = $infix('eq')?level) then $ANYTHING else $link?level + 1"/>
            <xsl:with-param name="last" select="position() = last()"/>
          </xsl:apply-templates>
        </xsl:for-each>
        <mo>)</mo>
      </mrow>
    </mrow>
  </xsl:template>

  <!-- max {a, b}, max {f(x) | x ∈ A} -->
  <xsl:template match="max | min" mode="applied">
    <mrow>
      <xsl:choose>
        <xsl:when test="../bvar and ../condition">
          <xsl:apply-templates select="."/>
          <xsl:call-template name="builder">
            <xsl:with-param name="node" select=".."/>
            <xsl:with-param name="fences" select="$fences('set')"/>
          </xsl:call-template>
        </xsl:when>
        <xsl:otherwise>
          <xsl:sequence select="f:with-limits(f:mi(local-name()), ..)"/>
          <xsl:call-template name="fenced">
            <xsl:with-param name="nodes" select="f:arguments(..)"/>
            <xsl:with-param name="fences" select="$fences('set')"/>
          </xsl:call-template>
        </xsl:otherwise>
      </xsl:choose>
    </mrow>
  </xsl:template>

  <!-- ============ functions and fences ============ -->

  <!-- sin x, log₃ x, det A -->
  <xsl:template match="*[local-name() = $elementary][f:arity(..) = 1][not(f:is-qualified(..))]" mode="applied"
      priority="1">
    <mrow>
      <xsl:sequence select="f:subscript(f:mi(($function-signs(local-name()), local-name())[1]),
          f:script(../logbase/*))"/>
      <mo>&#x2061;</mo>
      <xsl:apply-templates select="f:arguments(..)" mode="body">
        <xsl:with-param name="level" select="$APPLICATION"/>
      </xsl:apply-templates>
    </mrow>
  </xsl:template>

  <xsl:template match="not[f:is-plain(.., 1)]" mode="applied">
    <mrow>
      <mo>¬</mo>
      <xsl:apply-templates select="../*[2]" mode="body">
        <xsl:with-param name="level" select="$APPLICATION"/>
      </xsl:apply-templates>
    </mrow>
  </xsl:template>

  <xsl:template mode="applied" match="(abs | card | floor | ceiling)[f:is-plain(.., 1)]
      | mean[not(f:is-qualified(..))] | delimited">
    <xsl:call-template name="fenced">
      <xsl:with-param name="nodes" select="f:arguments(..)"/>
      <xsl:with-param name="fences" select="if (self::delimited) then (@open, @close) else $fences(local-name())"/>
    </xsl:call-template>
  </xsl:template>

  <xsl:template match="moment[not(f:is-qualified(..))]" mode="applied">
    <xsl:variable name="data" as="element()">
      <xsl:choose>
        <xsl:when test="f:arity(..) = 1">
          <xsl:apply-templates select="f:arguments(..)" mode="base"/>
        </xsl:when>
        <xsl:otherwise>
          <xsl:call-template name="fenced">
            <xsl:with-param name="nodes" select="f:arguments(..)"/>
          </xsl:call-template>
        </xsl:otherwise>
      </xsl:choose>
    </xsl:variable>
    <xsl:variable name="power" select="f:superscript($data, f:script(../degree/*))"/>
    <xsl:sequence select="f:subscript(f:row((f:mo($fences('moment')[1]), $power, f:mo($fences('moment')[2]))),
        f:script(../momentabout/*))"/>
  </xsl:template>

  <!-- grad((x, y) ↦ f); a divergence pairs the variables with the components. -->
  <xsl:template match="(grad | divergence | curl | laplacian)[f:arity(..) = 1][../bvar]" mode="applied">
    <xsl:variable name="variables" select="f:variables(..)"/>
    <xsl:variable name="body" select="f:arguments(..)"/>
    <mrow>
      <xsl:apply-templates select="."/>
      <mo>&#x2061;</mo>
      <mrow>
        <mo>(</mo>
        <xsl:choose>
          <xsl:when test="self::divergence and $body[self::vector][not(bvar)][count(*) = count($variables)]">
            <mtable>
              <xsl:for-each select="$variables">
                <xsl:variable name="place" select="position()"/>
                <mtr>
                  <mtd>
                    <xsl:apply-templates select="." mode="operand"/>
                    <mo>↦</mo>
                    <xsl:apply-templates select="$body/*[$place]" mode="operand"/>
                  </mtd>
                </mtr>
              </xsl:for-each>
            </mtable>
          </xsl:when>
          <xsl:otherwise>
            <xsl:apply-templates select="$variables[last() = 1]" mode="operand"/>
            <xsl:if test="count($variables) gt 1">
              <xsl:call-template name="fenced">
                <xsl:with-param name="nodes" select="$variables"/>
              </xsl:call-template>
            </xsl:if>
            <mo>↦</mo>
            <xsl:apply-templates select="$body" mode="operand"/>
          </xsl:otherwise>
        </xsl:choose>
        <mo>)</mo>
      </mrow>
    </mrow>
  </xsl:template>

  <!-- ============ scripts, roots, accents ============ -->

  <xsl:template match="(power | superscript)[f:is-plain(.., 2)]" mode="applied">
    <msup>
      <xsl:apply-templates select="../*[2]" mode="base"/>
      <xsl:apply-templates select="../*[3]" mode="operand"/>
    </msup>
  </xsl:template>

  <xsl:template match="(selector | subscript)[f:arity(..) ge 2][not(f:is-qualified(..))]" mode="applied">
    <msub>
      <xsl:apply-templates select="f:arguments(..)[1]" mode="base"/>
      <xsl:sequence select="f:script(f:arguments(..)[position() gt 1])"/>
    </msub>
  </xsl:template>

  <xsl:template match="(transpose | inverse)[f:is-plain(.., 1)]" mode="applied">
    <msup>
      <xsl:apply-templates select="../*[2]" mode="base"/>
      <xsl:choose>
        <xsl:when test="self::transpose">
          <mi>T</mi>
        </xsl:when>
        <xsl:otherwise>
          <mrow><mo>(</mo><mn>-1</mn><mo>)</mo></mrow>
        </xsl:otherwise>
      </xsl:choose>
    </msup>
  </xsl:template>

  <xsl:template match="factorial[f:is-plain(.., 1)]" mode="applied">
    <mrow>
      <xsl:apply-templates select="../*[2]" mode="base"/>
      <mo>!</mo>
    </mrow>
  </xsl:template>

  <xsl:template match="root[f:arity(..) = 1][not(f:is-qualified(..))]" mode="applied">
    <xsl:variable name="square" select="not(../degree[normalize-space() != '2'])"/>
    <xsl:element name="{if ($square) then 'msqrt' else 'mroot'}">
      <xsl:apply-templates select="f:arguments(..)" mode="operand"/>
      <xsl:sequence select="f:script(../degree/*[not($square)])"/>
    </xsl:element>
  </xsl:template>

  <xsl:template match="conjugate[f:is-plain(.., 1)]" mode="applied">
    <mover>
      <xsl:apply-templates select="../*[2]" mode="operand"/>
      <mo>¯</mo>
    </mover>
  </xsl:template>

  <!-- ============ derivatives ============ -->

  <xsl:template match="diff[f:is-plain(.., 1)]" mode="applied">
    <msup>
      <xsl:apply-templates select="../*[2]" mode="base"/>
      <mo>′</mo>
    </msup>
  </xsl:template>

  <xsl:template match="partialdiff[f:is-plain(.., 2)][../*[2]/self::list]" mode="applied">
    <mrow>
      <xsl:sequence select="f:subscript(f:mi('D'), f:script(../*[2]/*))"/>
      <xsl:apply-templates select="../*[3]" mode="body">
        <xsl:with-param name="level" select="$APPLICATION"/>
      </xsl:apply-templates>
    </mrow>
  </xsl:template>

  <!-- ∂ᵐ⁺ⁿ f / ∂xᵐ ∂yⁿ -->
  <xsl:template match="(diff | partialdiff)[f:arity(..) = 1][../bvar]" mode="applied">
    <xsl:variable name="d" select="f:mo(if (self::diff) then 'd' else '∂')"/>
    <mfrac>
      <mrow>
        <xsl:sequence select="f:superscript($d, f:order(f:total-order(..)))"/>
        <xsl:apply-templates select="f:arguments(..)" mode="body">
          <xsl:with-param name="level" select="$APPLICATION"/>
        </xsl:apply-templates>
      </mrow>
      <mrow>
        <xsl:for-each select="../bvar">
          <mrow>
            <xsl:sequence select="$d, f:superscript(f:script(* except degree), f:order(degree/*))"/>
          </mrow>
        </xsl:for-each>
      </mrow>
    </mfrac>
  </xsl:template>

  <!-- The first order goes without saying. -->
  <xsl:function name="f:order" as="element()?">
    <xsl:param name="order" as="element()*"/>
    <xsl:sequence select="f:script($order[not(self::cn[normalize-space() = '1'])])"/>
  </xsl:function>

  <!-- The order of the whole derivative: what is said, or else the sum over the variables. -->
  <xsl:function name="f:total-order" as="element()*">
    <xsl:param name="apply" as="element()"/>
    <xsl:variable name="orders" select="$apply/bvar/degree/*"/>
    <xsl:variable name="numbers" select="$orders[self::cn][. castable as xs:integer]"/>
    <xsl:variable name="number" select="count($apply/bvar[not(degree/*)]) + sum($numbers ! xs:integer(.))"/>
    <xsl:variable name="terms" as="element()*">
      <xsl:sequence select="$orders except $numbers"/>
      <xsl:if test="$number ne 0">
        <cn><xsl:value-of select="$number"/></cn>
      </xsl:if>
    </xsl:variable>
    <xsl:choose>
      <xsl:when test="$apply/degree">
        <xsl:sequence select="$apply/degree/*"/>
      </xsl:when>
      <xsl:when test="count($terms) gt 1">
        <apply>
          <plus/>
          <xsl:sequence select="$terms"/>
        </apply>
      </xsl:when>
      <xsl:otherwise>
        <xsl:sequence select="$terms"/>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:function>
</xsl:stylesheet>
