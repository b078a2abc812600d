# The part of the grader that runs inside a submission's process. It imports NextMove and passes on
# questions and answers. It does not trust any name that the submission can change: everything it
# needs later is bound to local names before the import.
#
# A question is one line, "NUMBER STEP TILE...", with 16 tiles row by row. The answer is "NUMBER
# CODE", or "NUMBER ! REASON" if there is none. Question 0 is the import: "0 0" or "0 ! REASON".
# Arguments: bytes of memory, seconds of processor time, processes of this user (-: no limit),
# whether output is shown (1 or 0), and what the student's file is called, which is search.py here.
import sys

# The submission's folder is added to the path after everything that the grader itself imports.
sys.path.pop(0)


def main():
    import operator
    import os
    import resource

    read, write, leave, index, plain = os.read, os.write, os._exit, operator.index, int.__add__
    anything, type_of, text_of, shown, number_of = BaseException, type, str, repr, int
    no_type, floating, wrong_type, os_error, attribute = type(None), float, TypeError, OSError, getattr
    is_a, syntax_error, leaving, no_input = isinstance, SyntaxError, SystemExit, EOFError
    missing_module, missing_name, function_type = ModuleNotFoundError, AttributeError, type(main)
    is_callable, count, names_of = callable, len, dir
    folder = os.getcwd()
    # The exit status for: the file descriptors of the protocol are closed.
    connection_lost = 74

    *numbers, file = sys.argv[1:]
    memory, seconds, processes, is_shown = [None if word == "-" else number_of(word) for word in numbers]
    sys.argv[:] = ["search.py"]
    file = file[-100:]
    folder_of = folder + "/"
    before_name = len(folder_of)
    module_file = folder_of + "search.py"
    if is_shown:
        from traceback import format_exception as written

    # A new session: no terminal to write to, and a process group that can be ended as a whole. On
    # Linux the fence has already created one.
    if os.getsid(0) != os.getpid():
        os.setsid()

    def limit(kind, amount):
        _, most = resource.getrlimit(kind)
        if most != resource.RLIM_INFINITY:
            amount = min(amount, most)
        try:
            resource.setrlimit(kind, (amount, amount))
        except (ValueError, OSError):
            # Not every system has every limit. The grader also checks memory and time from outside.
            pass

    limit(resource.RLIMIT_AS, memory)
    limit(resource.RLIMIT_CPU, seconds)
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_FSIZE, 1 << 28)
    # The buffers of pipes and sockets are not charged to a process.
    limit(resource.RLIMIT_NOFILE, 256)
    if processes is not None:
        limit(resource.RLIMIT_NPROC, processes)

    # The protocol moves to descriptors 3 and 4. The submission's output is discarded, or all of it
    # goes to standard error.
    os.dup2(0, 3, inheritable=False)
    os.dup2(1, 4, inheritable=False)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(2 if is_shown else nowhere, 1)
    if not is_shown:
        os.dup2(nowhere, 2)
    os.closerange(5, 256)

    def tell(line):
        try:
            write(4, line)
        except os_error:
            leave(connection_lost)

    # The file of a path in the folder, as the student calls it.
    def name_of(path):
        return file if path == module_file else path[before_name:][-100:]

    # A text without the folder of the grader.
    def with_names(text):
        return text.replace(module_file, file).replace(folder_of, "")

    def show(error):
        # Without the grader's own frame, which comes first.
        try:
            lines = "".join(written(type_of(error), error, error.__traceback__.tb_next))
            rest = with_names(lines).encode("utf-8", "backslashreplace")[-20000:]
            while rest:
                rest = rest[write(2, rest) :]
        except anything:
            pass

    def place_of(error):
        # The innermost frame in the submission's own code. A syntax error names its place itself.
        try:
            place, where = error.__traceback__, ""
            while place is not None and not (is_a(error, syntax_error) and error.filename):
                name = place.tb_frame.f_code.co_filename
                if name.startswith(folder_of):
                    where = " (%s, line %d)" % (name_of(name), place.tb_lineno)
                place = place.tb_next
            return where
        except anything:
            return ""

    def reason_of(error):
        try:
            words = text_of(error)[:200]
            reason = type_of(error).__name__ + (": " + words if words else "")
        except anything:
            reason = "an exception that cannot be shown"
        if is_shown:
            show(error)
        return reason + place_of(error)

    # Why the import failed, in plain words. The exception could be of the submission's own making,
    # so nothing about it is certain.
    def import_reason(error):
        general = file + " cannot be imported: " + reason_of(error)
        try:
            if is_a(error, syntax_error):
                name = error.filename
                if type_of(name) is text_of and name.startswith(folder_of):
                    line = error.lineno
                    where = " in line %d" % line if type_of(line) is number_of and line > 0 else ""
                    return "%s has a syntax error%s: %s" % (name_of(name), where, text_of(error.msg)[:200])
            elif is_a(error, missing_module):
                if type_of(error.name) is text_of:
                    return "it imports %s, which is not installed here%s" % (shown(error.name[:100]), place_of(error))
            elif is_a(error, leaving):
                return "it ends the program while it is imported%s" % place_of(error)
            elif is_a(error, no_input):
                return "it asks for input while it is imported, and there is none%s" % place_of(error)
        except anything:
            pass
        return general

    def no_next_move(module):
        reason = file + " defines no NextMove"
        try:
            for name in names_of(module):
                if name.replace("_", "").lower() == "nextmove":
                    return reason + ", but " + name[:100] + "; the name must be exactly NextMove"
        except anything:
            pass
        return reason

    # Why NextMove cannot be called with a grid and a step, if that is certain.
    def fault_of(function):
        try:
            if not is_callable(function):
                return "NextMove is not a function, but an object of type " + type_of(function).__name__[:100]
            if type_of(function) is function_type:
                code = function.__code__
                most = code.co_argcount
                least = most - count(function.__defaults__ or ())
                takes_more = code.co_flags & 0x04  # CO_VARARGS: it has *arguments
                if least > 2 or most < 2 and not takes_more:
                    number, plural = (most, "s") if most != 1 else ("one", "")
                    return "NextMove takes %s argument%s instead of two, Grid and Step" % (number or "no", plural)
        except anything:
            pass
        return None

    def fail(number, reason):
        try:
            words = " ".join(with_names(reason).split())
            line = b"%d ! %s\n" % (number, words.encode("utf-8", "backslashreplace")[:600])
        except anything:
            line = b"%d ! an exception\n" % number
        tell(line)

    def no_integer(answer):
        kind = type_of(answer)
        if kind in (no_type, floating):
            what = shown(answer)
        elif kind is text_of:
            what = shown(answer[:40])
        else:
            what = "an object of type " + kind.__name__
        return "NextMove returned " + what + ", which is not an integer"

    def answer_to(number, step, grid):
        try:
            answer = next_move(grid, step)
        except anything as error:
            # Without a frame of its own, the call itself has failed.
            if fault is not None and type_of(error) is wrong_type and error.__traceback__.tb_next is None:
                return fail(number, fault)
            return fail(number, reason_of(error))
        try:
            # Adding 0 turns every kind of integer into a plain one.
            code = plain(index(answer), 0)
        except anything as error:
            if type_of(error) is wrong_type and attribute(type_of(answer), "__index__", None) is None:
                return fail(number, no_integer(answer))
            return fail(number, reason_of(error))
        tell(b"%d %d\n" % (number, code if 0 <= code <= 4 else 5))

    pending = b""

    def question():
        nonlocal pending
        while b"\n" not in pending:
            try:
                piece = read(3, 4096)
            except os_error:
                leave(connection_lost)
            if not piece:
                leave(0)
            pending += piece
        line, _, pending = pending.partition(b"\n")
        return [number_of(word) for word in line.split()]

    sys.path.insert(0, folder)
    try:
        import search as module
    except anything as error:
        fail(0, import_reason(error))
        leave(0)
    try:
        next_move = module.NextMove
    except missing_name:
        fail(0, no_next_move(module))
        leave(0)
    except anything as error:
        fail(0, file + " gives no NextMove: " + reason_of(error))
        leave(0)
    fault = fault_of(next_move)
    tell(b"0 0\n")
    try:
        while True:
            number, step, *tiles = question()
            answer_to(number, step, [tiles[0:4], tiles[4:8], tiles[8:12], tiles[12:16]])
    except anything:
        # Something that the submission left behind, such as a signal handler, raised an exception
        # here. Its threads are not joined.
        leave(1)


main()
