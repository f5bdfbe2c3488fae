# The Perl layer of LaTeXML's sandbox, loaded before LaTeXML (PERL5OPT=-MProofmatchWall).
#
# A TeX source can name any file, and LaTeXML would open it; bindings (.ltxml) are Perl programs, and LaTeXML runs
# those that it finds beside a source. With this module, Perl itself reads only the folder of the source and
# its own libraries, writes only to the folder of the results, and starts no programs and no connections.
package ProofmatchWall;
use strict;
use warnings;
use Cwd      ();
use Errno    qw(EACCES);
use Fcntl    qw(O_WRONLY O_RDWR O_CREAT O_TRUNC O_APPEND);
use File::Spec ();
use Symbol   ();
use IO::Handle ();

my ($SOURCE, $RESULTS) = map { Cwd::realpath($ENV{"PROOFMATCH_$_"} // '') // '' } qw(SOURCE RESULTS);
foreach ($SOURCE, $RESULTS) {
  die "PROOFMATCH_SOURCE and PROOFMATCH_RESULTS must name folders\n" unless length && -d && $_ ne '/'; }

my @LIBRARIES = grep { defined && $_ ne '/' && !is_within($_, $SOURCE, $RESULTS) }
  map { Cwd::realpath($_) } grep { !ref && File::Spec->file_name_is_absolute($_) && -d } @INC;
my %DEVICES = map { ($_ => 1) } qw(/dev/null /dev/urandom);

# The path without links and dots, or undef if its folder does not exist or it is a link itself.
sub resolved {
  my ($path) = @_;
  return if !defined $path || ref $path || $path eq '' || $path =~ /[\0\n]/;
  my ($volume, $folder, $file) = File::Spec->splitpath($path);
  return Cwd::realpath($path) if $file eq '' || $file eq '.' || $file eq '..';
  my $place = Cwd::realpath($folder eq '' ? '.' : $folder);
  return if !defined $place || -l "$place/$file";
  return $place eq '/' ? "/$file" : "$place/$file"; }

sub is_within {
  my ($path, @folders) = @_;
  foreach my $folder (@folders) {
    return 1 if $path eq $folder || index($path, "$folder/") == 0; }
  return 0; }

sub may_write {
  my $path = resolved($_[0]);
  return defined $path && (is_within($path, $RESULTS) || $path eq '/dev/null'); }

sub may_read {
  my $path = resolved($_[0]);
  return defined $path && (is_within($path, $SOURCE, @LIBRARIES) || $DEVICES{$path}); }

# Perl programs come from the libraries alone, where Perl looks for names that do not begin with `/` or `.`.
sub may_run {
  my ($name) = @_;
  return $name !~ m{^\.|/\.\.?(?:/|$)} unless File::Spec->file_name_is_absolute($name);
  my $path = resolved($name);
  return defined $path && is_within($path, @LIBRARIES); }

# Bindings that evaluate strings of the source as Perl (\pgfmathparse of LaTeXML 0.8) are not loaded.
sub evaluates_strings {
  my ($path) = @_;
  return 0 unless $path =~ /\.ltxml$/ && CORE::open(my $file, '<', $path);
  while (my $line = <$file>) {
    $line =~ s/(^|\s)#.*//;
    return 1 if $line =~ /(?<![\\\w>\@])eval\s*\(?\s*["\$]/; }
  return 0; }

sub refused {
  $! = EACCES;
  return 0; }

sub may_open {
  my ($mode, @rest) = @_;
  return 1 if @rest && ref $rest[0] eq 'SCALAR';    # a string in memory
  if (!@rest) {                                     # the mode and the name in one argument
    return 1 if $mode =~ /^\s*(?:\+?[<>]{1,2}|>)&/ || $mode =~ /^\s*[<>]?-\s*$/;    # a copy of a handle
    return 0 if $mode =~ /^\s*\|/ || $mode =~ /\|\s*$/;
    $mode =~ s/^\s*(\+?[<>]{0,2})\s*//;
    my $how = $1; $mode =~ s/\s+$//;
    return $how =~ /[>+]/ ? may_write($mode) : may_read($mode); }
  return 0 if $mode =~ /\|/;
  return 1 if $mode =~ /&/;
  return 0 if @rest != 1;
  return $mode =~ /[>+]/ ? may_write($rest[0]) : may_read($rest[0]); }

sub handle {
  my ($handle, $package) = @_;
  return ref $handle || ref \$handle eq 'GLOB' ? $handle : Symbol::qualify_to_ref($handle, $package); }

sub patch {
  no strict 'refs';
  no warnings 'redefine';
  my ($file) = @_;
  if ($file eq 'LaTeXML/Util/Pathname.pm') {
    my $candidates = \&LaTeXML::Util::Pathname::candidate_pathnames;
    *LaTeXML::Util::Pathname::candidate_pathnames = sub { return grep { may_read($_) } $candidates->(@_); };
    *LaTeXML::Util::Pathname::pathname_kpsewhich  = sub { return; }; }
  elsif ($file eq 'LaTeXML/Util/WWW.pm') {
    *LaTeXML::Util::WWW::auth_get = sub { return ''; }; }
  elsif ($file eq 'LaTeXML/Package.pm') {
    my $find = \&LaTeXML::Package::FindFile_aux;
    # Do not reveal whether a file outside exists, either.
    *LaTeXML::Package::FindFile_aux = sub {
      my $path = $find->(@_);
      return unless defined $path;
      return $path unless File::Spec->file_name_is_absolute($path) || -e $path;    # kept in memory
      return may_read($path) && (is_within(resolved($path), $SOURCE) || $path =~ m{/LaTeXML/}) ? $path : undef; };
    my $anything = \&LaTeXML::Package::FindFile;
    *LaTeXML::Package::FindFile = sub {
      return if LaTeXML::Package::ToString($_[0]) =~ m{^\s*["']?\s*(?:[a-z][a-z0-9+.-]*:/|~)}i;
      return $anything->(@_); }; }
  return; }

BEGIN {
  no warnings 'once';
  *CORE::GLOBAL::open = sub (*;$@) {
    return refused() unless @_ > 1 && may_open(@_[1 .. $#_]);
    if (!defined $_[0]) {    # `open(my $handle, …)`
      $_[0] = Symbol::gensym(); }
    my $handle = handle($_[0], scalar caller);
    return @_ == 2 ? CORE::open($handle, $_[1]) : CORE::open($handle, $_[1], @_[2 .. $#_]); };
  *CORE::GLOBAL::sysopen = sub (*$$;$) {
    my $writes = $_[2] & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND);
    return refused() unless $writes ? may_write($_[1]) : may_read($_[1]);
    $_[0] = Symbol::gensym() unless defined $_[0];
    my $handle = handle($_[0], scalar caller);
    return @_ == 3 ? CORE::sysopen($handle, $_[1], $_[2]) : CORE::sysopen($handle, $_[1], $_[2], $_[3]); };
  *CORE::GLOBAL::opendir = sub (*$) {
    return refused() unless may_read($_[1]);
    $_[0] = Symbol::gensym() unless defined $_[0];
    return CORE::opendir(handle($_[0], scalar caller), $_[1]); };
  *CORE::GLOBAL::unlink = sub {
    my @paths = @_ ? @_ : ($_);
    return scalar grep { may_write($_) ? CORE::unlink($_) : refused() } @paths; };
  *CORE::GLOBAL::mkdir = sub (_;$) {
    return may_write($_[0]) ? CORE::mkdir($_[0], $_[1] // 0777) : refused(); };
  *CORE::GLOBAL::rmdir = sub (_) { return may_write($_[0]) ? CORE::rmdir($_[0]) : refused(); };
  *CORE::GLOBAL::rename = sub ($$) {
    return may_write($_[0]) && may_write($_[1]) ? CORE::rename($_[0], $_[1]) : refused(); };
  *CORE::GLOBAL::chdir = sub (;$) { return may_read($_[0]) ? CORE::chdir($_[0]) : refused(); };
  *CORE::GLOBAL::do = sub {
    return may_run($_[0]) && !evaluates_strings($_[0]) ? CORE::do($_[0]) : undef; };
  *CORE::GLOBAL::require = sub (_) {
    my ($what) = @_;
    return CORE::require($what) if ref \$what eq 'VSTRING' || $what =~ /^[\d.]+$/;
    die "the wall refuses to run $what\n" unless may_run($what);
    my $is_new = !exists $INC{$what};
    my $result = CORE::require($what);
    patch($what) if $is_new;
    return $result; };
  # Programs, connections, and everything else that no conversion needs.
  foreach my $name (qw(system exec fork readpipe socket socketpair connect bind listen accept syscall kill link
    symlink chmod chown utime truncate chroot dbmopen)) {
    no strict 'refs';
    *{"CORE::GLOBAL::$name"} = sub { return refused(); }; }
}

# Only the libraries that are there now: a source cannot add one.
@INC = grep { !ref && File::Spec->file_name_is_absolute($_) } @INC;
delete @ENV{qw(PERL5OPT PERL5LIB PERLLIB)};

1;
