"""What questions to the server may cost."""

BODY = 1_000_000  # bytes of a question
SHORT_BODY = 16 * 1024  # bytes that are parsed at once; a longer question in a thread
LONGEST_NUMBER = 100  # characters of a number in a question
READ = 16 * BODY  # bytes that are read and thrown away, so that whoever sends too many is told so
HEADERS = 256 * 1024  # bytes; an address may have each of its commas written as %2C
BODY_SECONDS = 30.0  # for a question to arrive
IDLE_SECONDS = 600.0  # for which a connection is kept open without one
WAITING = 64  # questions that are open at a time; whoever comes later is asked to try again
KEPT = 32 * 1024 * 1024  # bytes of answers, compressed, that are kept in case they are asked again
DRAWN = 1000  # choices of N, P and a seed whose labellings are kept
