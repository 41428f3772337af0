#!/bin/sh
# The command. It starts Node.js; but a relay, which an agent starts for every event, first asks the process that
# is kept warm for that (src/cli/warm/), and for this it needs nothing but perl, which starts in a tenth of the time.
if [ "$1" = relay ] && [ -z "$PERL5OPT$HOOKMACHINE_COLD" ] && [ -r /proc/self/environ ] && [ -x /usr/bin/perl ]; then
  # A log that is wanted is that of a process of the event's own.
  case $DEBUG in
    *llxprt* | *'*'*) ;;
    *) exec /usr/bin/perl -x "$0" "$@" ;;
  esac
fi
self=$0
while [ -h "$self" ]; do
  target=$(PATH=/usr/bin:/bin readlink "$self")
  case $target in
    /*) self=$target ;;
    *) self=${self%/*}/$target ;;
  esac
done
# A project must not supply Node.js, neither from its own folders nor from those of its packages.
IFS=:
set -f
for folder in $PATH; do
  case $folder/ in
    */node_modules/.bin/) continue ;;
    "$PWD"/*) [ "$PWD" = "$HOME" ] || continue ;;
    /*) ;;
    *) continue ;;
  esac
  [ -f "$folder/node" ] && [ -x "$folder/node" ] && exec "$folder/node" "${self%/*}/hookmachine.cjs" "$@"
done
exec node "${self%/*}/hookmachine.cjs" "$@"

#!perl
# src/cli/warm/client.ts says what is sent. In any doubt, Node.js judges the event, as it would without all this.
shift @ARGV;
my $script = $0;
while (defined(my $target = readlink $script)) {
    $script = $target =~ m{^/} ? $target : $script =~ s{[^/]*$}{}r . $target;
}
my $command = ($script =~ m{^(.*)/} ? $1 : '.') . '/hookmachine.cjs';
# A larger event would keep the others waiting. The numbers of errors are those of Linux, and those of `socket` too.
my $largest = 4 * 1024 * 1024;
my $silence = 5;
my ($socket, $address, @begun, %said);
my ($given, $got, $ended, $taken, $is_closed) = ('', '', 0, 0, 0);
$SIG{PIPE} = 'IGNORE';

# Only a folder of this user alone is used.
my $folder =
    ($ENV{XDG_RUNTIME_DIR} // '') =~ m{^/} ? "$ENV{XDG_RUNTIME_DIR}/hookmachine"
  : ($ENV{XDG_STATE_HOME}  // '') =~ m{^/} ? "$ENV{XDG_STATE_HOME}/hookmachine/warm"
  : ($ENV{HOME}            // '') =~ m{^/} ? "$ENV{HOME}/.local/state/hookmachine/warm"
  :                                          undef;
my $bounds = bounds();
cold() if !defined $folder || !defined $bounds || length $folder > 76;
$address = "$folder/BUNDLE-$bounds";
my @folder = lstat $folder;
cold('start') if !@folder;
cold() if !-d _ || $folder[4] != $> || $folder[2] & 077;
my @socket = lstat $address;
cold('start') if !@socket;
cold() if !-S _ || $socket[4] != $>;
socket($socket, 1, 1, 0) or cold();
connect($socket, pack('S a*', 1, "$address\0")) or cold('start');

# Whoever answers is this user, and bound by no sandbox that this process is not in.
my ($peer, $uid) = unpack 'l L', getsockopt($socket, 1, 17) // '';
cold() if !$peer || $uid != $>;
for (qw(mnt user pid net)) {
    my $theirs = readlink "/proc/$peer/ns/$_";
    cold() if !defined $theirs || $theirs ne readlink "/proc/self/ns/$_";
}

binmode $_ for $socket, *STDIN, *STDOUT, *STDERR;
tell_it(sprintf '%10d', $$);
until ($taken) { receive(0.3) or cold(is_lost()) }

# What is read is kept, for the case that Node.js must judge after all. Stdin may be late; the other side knows how late.
until ($ended) {
    my $ready = wait_for($silence, *STDIN);
    $ready // give_up();
    if ($ready) {
        my $size = sysread STDIN, my $piece, 65536;
        next if !defined $size && $! == 4;
        $ended = 1 if !$size;
        $piece = '' if !$size;
        $given .= $piece;
        give_up('large') if length $given > $largest;
        tell_it(pack('N', length $piece) . $piece);
    }
}
while (1) { receive($silence) or give_up() }

# What the system lets this process do, as src/cli/warm/caller.ts compares it exactly: where it is otherwise, there is
# another warm process. Undefined if that cannot be read.
sub bounds {
    local $/;
    my @read;
    for (qw(status limits)) {
        open my $file, '<', "/proc/self/$_" or return undef;
        push @read, scalar <$file>;
    }
    $read[1] =~ s/^(Max open files) +\S+/$1/m;
    $read[1] =~ s/ +/ /g;
    my $text = join "\n", $read[0] =~ /^((?:Umask|Uid|Gid|Groups|CapEff|CapBnd|NoNewPrivs|Seccomp):.*)$/mg, $read[1],
      (map { readlink "/proc/self/$_" } qw(root ns/mnt ns/user ns/pid ns/net ns/ipc ns/uts)),
      map { "$_=$ENV{$_}" } grep { /^(?:STARTUP)$/ } sort keys %ENV;
    return sprintf '%08x%08x', unpack('%32N*', "$text\0\0\0"), unpack('%32n*', "$text\0");
}

# Whether another warm process has to be started: this one has ended, or was stopped, and is not only busy.
sub is_lost {
    return 1 if $is_closed;
    open my $file, '<', "/proc/$peer/stat" or return 1;
    return <$file> =~ /^.*\) [TtZX]/;
}

sub tell_it {
    my ($text) = @_;
    my $at = 0;
    while ($at < length $text) {
        my $sent = syswrite $socket, $text, length($text) - $at, $at;
        next if !defined $sent && $! == 4;
        $is_closed = 1                         if !defined $sent;
        $taken ? give_up() : cold(is_lost()) if !defined $sent;
        $at += $sent;
    }
}

# Returns whether stdin is ready; undefined if the other side is silent for too long or gone.
sub wait_for {
    my ($most, $input) = @_;
    my $deadline = time_now() + $most;
    while (1) {
        my $in = '';
        vec($in, fileno $_, 1) = 1 for $socket, $input;
        my $found = select $in, undef, undef, $deadline - time_now() > 0 ? $deadline - time_now() : 0;
        next if $found < 0 && $! == 4;
        return undef if $found <= 0;
        if (vec($in, fileno $socket, 1)) { receive(0) or return undef; $deadline = time_now() + $most }
        return 1 if vec($in, fileno $input, 1);
    }
}

# Takes what the other side says; false if it says nothing for that long, or is gone.
sub receive {
    my ($most) = @_;
    my $in = '';
    vec($in, fileno $socket, 1) = 1;
    return 0 if select($in, undef, undef, $most) <= 0;
    my $size = sysread $socket, $got, 65536, length $got;
    return 1 if !defined $size && $! == 4;
    $is_closed = 1 if !$size;
    take();
    return $size;
}

sub take {
    while (length $got >= 5) {
        my ($letter, $size) = unpack 'a N', $got;
        return if length $got < 5 + $size;
        my $text = substr $got, 5, $size;
        substr($got, 0, 5 + $size) = '';
        if    ($letter eq 'n') { cold() }
        elsif ($letter eq 't') { $taken = 1 }
        elsif ($letter eq 'b') { push @begun, $text }
        elsif ($letter eq 'x') { answer($text) }
        elsif ($letter ne 'h') { $said{$letter} .= $text }
    }
}

sub answer {
    my ($status) = @_;
    put(*STDERR, $said{e} // '');
    my $why = put(*STDOUT, $said{o} // '');
    if (defined $why) {
        exit($status || ($why =~ /^EPIPE/ ? 0 : 1)) if !defined $said{l};
        put(*STDERR, $said{l} =~ s/%s/$why, write/r);
        exit 2;
    }
    exit $status;
}

sub put {
    my ($to, $text) = @_;
    my $at = 0;
    while ($at < length $text) {
        my $written = syswrite $to, $text, length($text) - $at, $at;
        if (!defined $written) {
            next if $! == 4;
            if ($! == 11) { select undef, undef, undef, 0.01; next }
            my $name = { 9 => 'EBADF', 28 => 'ENOSPC', 32 => 'EPIPE' }->{ $! + 0 } // 'EIO';
            return "$name: " . lc "$!";
        }
        $at += $written;
    }
    return undef;
}

# From here on, no hook can begin on the other side. What it said before that still counts.
sub give_up {
    my ($is_large) = @_;
    shutdown $socket, 0;
    while (1) {
        my $size = sysread $socket, $got, 65536, length $got;
        next if !defined $size && $! == 4;
        take();
        last if !$size;
    }
    cold(!$is_large && is_lost());
}

sub cold {
    my ($start) = @_;
    close $socket if $socket;
    my @more = ($start && defined $address ? ('--warm', $address) : (), @begun ? ('--begun', join ',', @begun) : ());
    pump() if length $given || $ended;
    $SIG{PIPE} = 'DEFAULT';
    exec { node_of_ours() } 'node', $command, 'relay', @more, @ARGV;
    syswrite STDERR, "hookmachine: node could not be started: $!\n";
    exit 2;
}

# A project must not supply Node.js, neither from its own folders nor from those of its packages.
sub node_of_ours {
    my $here = readlink '/proc/self/cwd';
    for (split /:/, $ENV{PATH} // '') {
        next if !m{^/} || m{/node_modules/\.bin/*$};
        next if defined $here && "$_/" =~ m{^\Q$here\E/} && $here ne ($ENV{HOME} // '');
        return "$_/node" if -f "$_/node" && -x _;
    }
    return 'node';
}

# What was read from stdin is put before the rest of it.
sub pump {
    pipe my $from, my $to or exit 2;
    my $child = fork // exit 2;
    if ($child) {
        close $to;
        open STDIN, '<&', $from or exit 2;
        return;
    }
    close $_ for $from, *STDOUT, *STDERR;
    my $size = 1;
    while (1) {
        my $at = 0;
        while ($at < length $given) {
            my $sent = syswrite $to, $given, length($given) - $at, $at;
            next if !defined $sent && $! == 4;
            exit 0 if !defined $sent;
            $at += $sent;
        }
        exit 0 if $ended;
        $size = sysread STDIN, $given, 65536;
        exit 0 if !$size;
    }
}

sub time_now { time }
