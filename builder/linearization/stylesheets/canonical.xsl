<?xml version="1.0" encoding="UTF-8"?>
<!-- Content markup → canonical content markup, so that the layout has one spelling of everything to deal with.
     Mode `names` undoes what is only spelled differently (strict symbols, references, deprecated elements);
     mode `shapes` then brings arguments and qualifiers into one form. -->
<xsl:stylesheet version="3.0"
    xmlns="http://www.w3.org/1998/Math/MathML"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:xs="http://www.w3.org/2001/XMLSchema"
    xmlns:xlink="http://www.w3.org/1999/xlink"
    xmlns:f="urn:proofmatch:content-to-presentation"
    xpath-default-namespace="http://www.w3.org/1998/Math/MathML"
    exclude-result-prefixes="#all">

  <xsl:mode name="names" on-no-match="shallow-copy"/>
  <xsl:mode name="shapes" on-no-match="shallow-copy"/>
  <xsl:key name="by-id" match="*" use="@id, @xml:id"/>

  <!-- How many elements references may insert, all together. Each gets its part of that; a target of n elements
       must fit the part, and what it refers to in turn must fit an n-th of it. So the result stays bounded
       even when every target doubles the one before. -->
  <xsl:variable name="share-budget" select="100000"/>

  <!-- ============ names ============ -->

  <xsl:template match="comment() | processing-instruction() | annotation | annotation-xml | sep" mode="names"/>

  <xsl:template match="semantics" mode="names">
    <xsl:apply-templates select="*[not(self::annotation | self::annotation-xml)][1]" mode="names"/>
  </xsl:template>

  <!-- White space between elements means nothing; other stray text is kept to be read. -->
  <xsl:template match="text()[not(parent::ci | parent::cn | parent::csymbol | parent::cs | parent::cbytes
                              | parent::mi | parent::mn | parent::mo | parent::mtext | parent::ms)]
                             [namespace-uri(..) = 'http://www.w3.org/1998/Math/MathML']" mode="names">
    <xsl:if test="normalize-space()">
      <mtext><xsl:value-of select="."/></mtext>
    </xsl:if>
  </xsl:template>

  <xsl:template match="share" mode="names">
    <xsl:param name="budget" tunnel="yes" as="xs:integer"/>
    <xsl:param name="open" tunnel="yes" as="element()*"/>
    <xsl:variable name="reference" select="string((@href, @xlink:href)[1])"/>
    <!-- Only this formula is searched; a reference to another document stays one. -->
    <xsl:variable name="target" select="key('by-id', substring($reference, 2))
        [starts-with($reference, '#')][not(ancestor-or-self::annotation-xml)][1]"/>
    <xsl:variable name="size" select="count($target/descendant-or-self::*)"/>
    <xsl:choose>
      <xsl:when test="$target and $size le $budget and not($target intersect ($open, ancestor::*))">
        <xsl:apply-templates select="$target" mode="names">
          <xsl:with-param name="budget" tunnel="yes" select="$budget idiv $size"/>
          <xsl:with-param name="open" tunnel="yes" select="$open, $target, ancestor::*"/>
        </xsl:apply-templates>
      </xsl:when>
      <xsl:otherwise>
        <mi><xsl:value-of select="replace($reference, '^#', '')"/></mi>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template match="fn" mode="names">
    <xsl:apply-templates select="*" mode="names"/>
  </xsl:template>

  <!-- A declaration with a value reads as a definition; one that only gives a type is not displayed. -->
  <xsl:template match="declare" mode="names">
    <xsl:if test="count(*) ge 2">
      <apply>
        <eq/>
        <xsl:apply-templates select="*" mode="names"/>
      </apply>
    </xsl:if>
  </xsl:template>

  <xsl:template match="csymbol[not(*)]" mode="names">
    <xsl:variable name="name"
        select="(normalize-space()[.], @name, tokenize(@definitionURL, '[#/]')[last()], '')[1] ! string()"/>
    <xsl:variable name="element" select="($renamed(@cd || ':' || $name),
        $name[. = $pragmatic and not(current()/@cd = 'unknown')])[1]"/>
    <xsl:choose>
      <xsl:when test="starts-with($name, 'delimited-') and string-length($name) = 12">
        <delimited open="{substring($name, 11, 1)}" close="{substring($name, 12, 1)}"/>
      </xsl:when>
      <xsl:when test="$element = 'absent'">
        <mrow/>
      </xsl:when>
      <xsl:when test="$element">
        <xsl:element name="{tokenize($element, ' ')[1]}">
          <xsl:for-each select="tokenize($element, ' ')[2]">
            <xsl:attribute name="closure" select="."/>
          </xsl:for-each>
        </xsl:element>
      </xsl:when>
      <xsl:otherwise>
        <csymbol>
          <xsl:copy-of select="@mathvariant | @class"/>
          <xsl:value-of select="$name"/>
        </csymbol>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template match="apply | reln | bind" mode="names">
    <xsl:variable name="head" as="node()*">
      <xsl:apply-templates select="node()[self::* or normalize-space()][1]" mode="names"/>
    </xsl:variable>
    <xsl:variable name="name" select="f:operator($head[1])"/>
    <xsl:variable name="kind" select="
        if ($name = $containers)
        (: LaTeXML's (a, b) is a vector applied to a and b; a column is only what strict markup means. :)
        then (if ($name = 'vector' and not(*[1]/descendant-or-self::csymbol)) then 'list' else $name)
        else if (self::bind and $name = '') then 'bind'
        else 'apply'"/>
    <xsl:element name="{$kind}">
      <xsl:if test="$name = $containers">
        <xsl:copy-of select="$head/@closure"/>
      </xsl:if>
      <xsl:sequence select="$head[not($name = $containers)]"/>
      <xsl:apply-templates select="node()[self::* or normalize-space()][position() gt 1]" mode="names"/>
    </xsl:element>
  </xsl:template>

  <!-- Numbers: one text, or an application when the number has parts that are read one by one. -->
  <xsl:template match="cn[not(* except sep)]" mode="names">
    <xsl:variable name="parts" as="xs:string*">
      <xsl:for-each-group select="node()[not(self::comment() | self::processing-instruction())]"
          group-starting-with="sep">
        <xsl:sequence select="normalize-space(string-join(current-group()[self::text()]))"/>
      </xsl:for-each-group>
    </xsl:variable>
    <xsl:variable name="structure" as="xs:string?"
        select="map { 'rational': 'divide', 'complex-cartesian': 'complex-cartesian',
                      'complex-polar': 'complex-polar' }(string(@type))[count($parts) = 2]"/>
    <xsl:variable name="number" select="." as="element()"/>
    <xsl:choose>
      <xsl:when test="$structure">
        <apply>
          <xsl:element name="{$structure}"/>
          <xsl:for-each select="$parts">
            <cn>
              <xsl:copy-of select="$number/(@base | @mathvariant | @class)"/>
              <xsl:value-of select="."/>
            </cn>
          </xsl:for-each>
        </apply>
      </xsl:when>
      <xsl:otherwise>
        <cn>
          <xsl:copy-of select="@base | @mathvariant | @class"/>
          <xsl:value-of select="'0x'[$number/@type = 'hexdouble']
              || string-join($parts, if (@type = 'e-notation') then 'E' else ' ')"/>
        </cn>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- ============ shapes ============ -->

  <!-- Templates of mode `reshape` stand at the operator, so that they are found by its name. -->
  <xsl:template match="apply[*]" mode="shapes">
    <xsl:apply-templates select="*[1]" mode="reshape"/>
  </xsl:template>

  <xsl:template match="apply[not(*)]" mode="shapes">
    <mrow/>
  </xsl:template>

  <xsl:template match="*" mode="reshape" priority="-1">
    <apply>
      <xsl:apply-templates select="../*" mode="shapes"/>
    </apply>
  </xsl:template>

  <!-- An operator without arguments is just its sign; an associative one with a single argument is that. -->
  <xsl:template match="*[f:operator(.)][not(../*[2])]" mode="reshape" priority="5">
    <xsl:copy-of select="."/>
  </xsl:template>

  <xsl:template match="(times | and | or | xor | union | intersect | cartesianproduct | compose | outerproduct
      | formulae-sequence)[count(../*) = 2]" mode="reshape" priority="4">
    <xsl:apply-templates select="../*[2]" mode="shapes"/>
  </xsl:template>

  <!-- What pragmatic markup says with qualifiers, strict markup says with the order of the arguments. -->
  <xsl:template match="root[f:arity(..) = 2][not(../degree)]" mode="reshape">
    <apply>
      <root/>
      <degree><xsl:apply-templates select="f:arguments(..)[2]" mode="shapes"/></degree>
      <xsl:apply-templates select="f:arguments(..)[1]" mode="shapes"/>
    </apply>
  </xsl:template>

  <xsl:template match="log[f:arity(..) = 2][not(../logbase)]" mode="reshape">
    <apply>
      <log/>
      <logbase><xsl:apply-templates select="f:arguments(..)[1]" mode="shapes"/></logbase>
      <xsl:apply-templates select="f:arguments(..)[2]" mode="shapes"/>
    </apply>
  </xsl:template>

  <xsl:template match="strict-moment[f:arity(..) ge 3]" mode="reshape">
    <apply>
      <moment/>
      <degree><xsl:apply-templates select="../*[2]" mode="shapes"/></degree>
      <momentabout><xsl:apply-templates select="../*[3]" mode="shapes"/></momentabout>
      <xsl:apply-templates select="../*[position() ge 4]" mode="shapes"/>
    </apply>
  </xsl:template>

  <xsl:template match="index-first-selector" mode="reshape">
    <apply>
      <selector/>
      <xsl:apply-templates select="../*[last()], ../*[position() gt 1 and position() lt last()]" mode="shapes"/>
    </apply>
  </xsl:template>

  <xsl:template match="based-integer[f:arity(..) = 2]" mode="reshape">
    <cn base="{../*[2]}"><xsl:value-of select="../*[3]"/></cn>
  </xsl:template>

  <!-- {x ∈ S | P} and {f | x ∈ S} of the dictionaries set1 and list1. -->
  <xsl:template match="(set-suchthat | list-suchthat | set-map | list-map)[f:arity(..) = 2][../lambda/bvar]"
      mode="reshape">
    <xsl:variable name="lambda" select="../lambda[1]"/>
    <xsl:variable name="membership" as="element()">
      <apply>
        <in/>
        <xsl:sequence select="f:tuple($lambda/bvar)"/>
        <xsl:apply-templates select="f:arguments(..) except $lambda" mode="shapes"/>
      </apply>
    </xsl:variable>
    <xsl:variable name="body" as="element()*">
      <xsl:apply-templates select="$lambda/*[last()]" mode="shapes"/>
    </xsl:variable>
    <xsl:variable name="selects" select="ends-with(local-name(), 'suchthat')"/>
    <xsl:element name="{substring-before(local-name(), '-')}">
      <xsl:apply-templates select="$lambda/bvar" mode="shapes"/>
      <condition><xsl:sequence select="if ($selects) then $body else $membership"/></condition>
      <xsl:sequence select="if ($selects) then $membership else $body"/>
    </xsl:element>
  </xsl:template>

  <!-- Operators on functions: a λ gives its variables to the operator; what stands before it is the domain,
       the order of the derivative or the point of the limit. -->
  <xsl:template match="(sum | product | int | limit | diff | nthdiff | partialdiff | grad | divergence | curl
      | laplacian | max | min | union | intersect)[../*[last()][self::lambda[bvar]]][not(../bvar)]"
      mode="reshape" priority="3">
    <xsl:variable name="lambda" select="../lambda[last()]"/>
    <xsl:variable name="before" select="f:arguments(..) except $lambda"/>
    <xsl:variable name="unfolded" as="element()">
      <apply>
        <xsl:element name="{if (self::nthdiff) then 'diff' else local-name()}"/>
        <xsl:choose>
          <xsl:when test="self::nthdiff">
            <bvar>
              <xsl:sequence select="$lambda/bvar/*"/>
              <degree><xsl:sequence select="$before"/></degree>
            </bvar>
          </xsl:when>
          <!-- The list has the numbers of the variables by which is differentiated, in turn. -->
          <xsl:when test="self::partialdiff and $before[self::list]">
            <xsl:for-each select="$lambda/bvar">
              <xsl:variable name="number" select="string(position())"/>
              <xsl:variable name="order" select="count($before/cn[normalize-space() = $number])"/>
              <xsl:if test="$order gt 0">
                <bvar>
                  <xsl:sequence select="*"/>
                  <degree><cn><xsl:value-of select="$order"/></cn></degree>
                </bvar>
              </xsl:if>
            </xsl:for-each>
          </xsl:when>
          <xsl:when test="self::limit and $before">
            <xsl:sequence select="$lambda/bvar"/>
            <condition>
              <apply>
                <tendsto type="{$before[2]}"/>
                <xsl:sequence select="$lambda/bvar[1]/*, $before[1]"/>
              </apply>
            </condition>
          </xsl:when>
          <xsl:otherwise>
            <xsl:sequence select="$lambda/(* except *[last()])"/>
            <xsl:for-each select="$before">
              <domainofapplication><xsl:sequence select="."/></domainofapplication>
            </xsl:for-each>
          </xsl:otherwise>
        </xsl:choose>
        <xsl:sequence select="../*[local-name() = $qualifiers], $lambda/*[last()]"/>
      </apply>
    </xsl:variable>
    <xsl:apply-templates select="$unfolded" mode="shapes"/>
  </xsl:template>

  <!-- An interval as domain of what has limits gives them. -->
  <xsl:template match="*[f:collects(..)][f:interval-domain(..)]" mode="reshape" priority="2">
    <xsl:variable name="domain" select="f:interval-domain(..)"/>
    <xsl:variable name="ends" select="$domain/descendant-or-self::interval[1]/*"/>
    <apply>
      <xsl:apply-templates select=". | ../bvar" mode="shapes"/>
      <lowlimit><xsl:apply-templates select="$ends[1]" mode="shapes"/></lowlimit>
      <uplimit><xsl:apply-templates select="$ends[2]" mode="shapes"/></uplimit>
      <xsl:apply-templates select="../* except (., ../bvar, $domain)" mode="shapes"/>
    </apply>
  </xsl:template>

  <xsl:function name="f:interval-domain" as="element()?">
    <xsl:param name="apply" as="element()"/>
    <xsl:sequence select="($apply/domainofapplication[interval[count(*) = 2 and not(condition)]],
        f:arguments($apply)[position() lt last()][self::interval[count(*) = 2 and not(condition)]])[1]"/>
  </xsl:function>

  <!-- Where variables range is one condition for everything that is read as "… such that …". -->
  <xsl:template match="(forall | exists | max | min)[../bvar][f:ranges(..)]" mode="reshape">
    <apply>
      <xsl:copy-of select="."/>
      <xsl:call-template name="such-that">
        <xsl:with-param name="node" select=".."/>
      </xsl:call-template>
    </apply>
  </xsl:template>

  <xsl:template match="(set | list | vector | matrix | matrixrow | interval)[bvar][f:ranges(.)]" mode="shapes">
    <xsl:copy>
      <xsl:copy-of select="@*"/>
      <xsl:call-template name="such-that"/>
    </xsl:copy>
  </xsl:template>

  <xsl:function name="f:ranges" as="xs:boolean">
    <xsl:param name="node" as="element()"/>
    <xsl:sequence select="exists($node/(domainofapplication | lowlimit | uplimit | condition[2]))"/>
  </xsl:function>

  <xsl:template name="such-that">
    <xsl:param name="node" as="element()" select="."/>
    <xsl:variable name="conditions" as="element()*">
      <xsl:for-each select="$node/domainofapplication">
        <apply>
          <in/>
          <xsl:sequence select="f:tuple($node/bvar)"/>
          <xsl:apply-templates mode="shapes"/>
        </apply>
      </xsl:for-each>
      <xsl:if test="$node/(lowlimit | uplimit)">
        <apply>
          <leq/>
          <xsl:apply-templates select="$node/lowlimit/*" mode="shapes"/>
          <xsl:sequence select="f:tuple($node/bvar)"/>
          <xsl:apply-templates select="$node/uplimit/*" mode="shapes"/>
        </apply>
      </xsl:if>
      <xsl:apply-templates select="$node/condition/*" mode="shapes"/>
    </xsl:variable>
    <xsl:apply-templates select="$node/bvar" mode="shapes"/>
    <condition>
      <xsl:choose>
        <xsl:when test="count($conditions) gt 1">
          <apply>
            <and/>
            <xsl:sequence select="$conditions"/>
          </apply>
        </xsl:when>
        <xsl:otherwise>
          <xsl:sequence select="$conditions"/>
        </xsl:otherwise>
      </xsl:choose>
    </condition>
    <xsl:apply-templates select="f:parts($node)" mode="shapes"/>
  </xsl:template>

  <!-- One bound variable stands for itself, several are a tuple. -->
  <xsl:function name="f:tuple" as="element()*">
    <xsl:param name="bvars" as="element()*"/>
    <xsl:variable name="variables" as="element()*">
      <xsl:apply-templates select="$bvars/(* except degree)" mode="shapes"/>
    </xsl:variable>
    <xsl:choose>
      <xsl:when test="count($bvars) gt 1">
        <list><xsl:sequence select="$variables"/></list>
      </xsl:when>
      <xsl:otherwise>
        <xsl:sequence select="$variables"/>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:function>

  <!-- Notations that abbreviate others. -->
  <xsl:template match="quotient[count(../*) = 3]" mode="reshape">
    <apply>
      <floor/>
      <apply>
        <divide/>
        <xsl:apply-templates select="f:arguments(..)" mode="shapes"/>
      </apply>
    </apply>
  </xsl:template>

  <xsl:template match="exp[count(../*) = 2]" mode="reshape">
    <apply>
      <power/>
      <exponentiale/>
      <xsl:apply-templates select="../*[2]" mode="shapes"/>
    </apply>
  </xsl:template>

  <xsl:template match="complex-cartesian[count(../*) = 3]" mode="reshape">
    <apply>
      <plus/>
      <xsl:apply-templates select="../*[2]" mode="shapes"/>
      <apply>
        <times/>
        <xsl:apply-templates select="../*[3]" mode="shapes"/>
        <imaginaryi/>
      </apply>
    </apply>
  </xsl:template>

  <xsl:template match="complex-polar[count(../*) = 3]" mode="reshape">
    <apply>
      <times/>
      <xsl:apply-templates select="../*[2]" mode="shapes"/>
      <apply>
        <power/>
        <exponentiale/>
        <apply>
          <times sign="invisible"/>
          <imaginaryi/>
          <xsl:apply-templates select="../*[3]" mode="shapes"/>
        </apply>
      </apply>
    </apply>
  </xsl:template>

  <!-- ℝ × ℝ × ℝ is written as a power. -->
  <xsl:template match="cartesianproduct[../reals[2]][not(../(* except (*[1], reals)))]" mode="reshape">
    <apply>
      <power/>
      <reals/>
      <cn><xsl:value-of select="count(../reals)"/></cn>
    </apply>
  </xsl:template>
</xsl:stylesheet>
