"""What one run of the program did to its disk, as recorded by failing_disk.cpp, and what a power cut would
have left of it.

A disk has two states: what the system shows, and what a sync has made durable. A write is safe when its file
was synced after it, a name when its directory was. `Disk` follows a record operation by operation; `left`
builds the files that a power cut at this moment might leave."""

import collections
import pathlib
import random

PAGE = 4096
SECTOR = 512

Operation = collections.namedtuple("Operation", "what words bytes", defaults=(b"",))
# Everything up to the next operation: changes of files, and what was printed or started meanwhile.
Point = collections.namedtuple("Point", "number about done")


def read(path):
    """The points of a record: the n-th operation with all that followed it, after what came before the first."""
    raw = pathlib.Path(path).read_bytes()
    points, at = [Point(0, "the beginning", [])], 0
    while at < len(raw):
        end = raw.index(b"\n", at)
        what, *words = raw[at:end].decode().split("\t")
        at = end + 1
        content = b""
        if what in ("write", "said"):
            content = raw[at:at + int(words[-1])]
            at += len(content) + 1
        if what == "operation":
            points.append(Point(int(words[0]), words[1], []))
        else:
            points[-1].done.append(Operation(what, words, content))
    return points


class File:
    def __init__(self, safe=b""):
        self.safe = safe
        self.shown = bytearray(safe)
        self.unsafe = []  # since the last sync: (offset, bytes) of writes, (size, None) of truncations

    def write(self, offset, content):
        put(self.shown, offset, content)
        self.unsafe.append((offset, content))

    def truncate(self, size):
        cut(self.shown, size)
        self.unsafe.append((size, None))

    def sync(self):
        self.safe = bytes(self.shown)
        self.unsafe = []


def put(content, offset, more):
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset:offset + len(more)] = more


def cut(content, size):
    del content[size:]
    content.extend(bytes(size - len(content)))


def pages_of(offset, content):
    """A write, page by page."""
    at = 0
    while at < len(content):
        size = PAGE - (offset + at) % PAGE
        yield offset + at, content[at:at + size]
        at += size


FOLDER = object()  # takes the place of a name's file


def is_store(name):
    """The files that failing_disk.cpp records."""
    return pathlib.PurePath(name).parts[0] == ".pawl" and not name.endswith("-shm") and not name.startswith(".pawl/run")


class Disk:
    """The store of a project; names are relative to the project's folder, and `.` is that folder itself."""

    def __init__(self, folder, lies=False):
        """The current content of the folder, all of it safe. A lying disk reports a sync as done without doing it."""
        self.folder = pathlib.Path(folder)
        self.lies = lies
        self.names = {}
        for path in self.folder.rglob("*"):
            name = str(path.relative_to(self.folder))
            if is_store(name):
                self.names[name] = FOLDER if path.is_dir() else File(path.read_bytes())
        self.safe_names = dict(self.names)
        self.handles = {}

    def follow(self, point):
        for operation in point.done:
            act = getattr(self, "on_" + operation.what, None)
            if act:
                act(operation)

    def name(self, path):
        relative = pathlib.Path(path).relative_to(self.folder)
        return str(relative)

    def on_create(self, operation):
        self.names[self.name(operation.words[0])] = File()

    def on_mkdir(self, operation):
        self.names[self.name(operation.words[0])] = FOLDER

    def on_unlink(self, operation):
        del self.names[self.name(operation.words[0])]

    def on_rename(self, operation):
        old, new = map(self.name, operation.words)
        self.names[new] = self.names.pop(old)

    def on_open(self, operation):
        number, path = operation.words
        name = self.name(path)
        self.handles[number] = (name, self.names.get(name, FOLDER))

    def on_write(self, operation):
        number, offset, size = operation.words
        assert len(operation.bytes) == int(size), "the record is without the bytes"
        self.handles[number][1].write(int(offset), operation.bytes)

    def on_truncate(self, operation):
        number, size = operation.words
        self.handles[number][1].truncate(int(size))

    def on_sync(self, operation):
        if self.lies:
            return
        name, file = self.handles[operation.words[0]]
        if file is not FOLDER:
            file.sync()
            return
        # The names in this folder are safe now; what is below them depends on their own folders.
        for there in {*self.names, *self.safe_names}:
            if str(pathlib.PurePath(there).parent) == name:
                if there in self.names:
                    self.safe_names[there] = self.names[there]
                else:
                    self.safe_names.pop(there)

    # What a power cut leaves

    def left(self, how, chance):
        """Names and contents after a power cut:
        all    every write that is not safe is lost, names are not
        pages  of what is not safe some pages are there, whatever their order, and some are not
        torn   the last write is there up to some sector, all before it is
        names  names that are not safe are lost, too"""
        names = self.safe_names if how == "names" else self.names
        found = {}
        for name, file in sorted(names.items(), key=lambda pair: pair[0]):
            if not self.is_reachable(name, names):
                continue
            found[name] = None if file is FOLDER else self.content(file, how, chance)
        return found

    @staticmethod
    def is_reachable(name, names):
        return all(str(above) in names for above in pathlib.PurePath(name).parents if str(above) != ".")

    @staticmethod
    def content(file, how, chance):
        if how in ("all", "names") or not file.unsafe:
            return file.safe
        content = bytearray(file.safe)
        if how == "torn":
            *whole, (offset, last) = file.unsafe
            for place, more in whole:
                cut(content, place) if more is None else put(content, place, more)
            if last is not None:
                put(content, offset, last[:SECTOR * chance.randrange(0, 1 + len(last) // SECTOR)])
            return bytes(content)
        for place, more in file.unsafe:
            if more is None:
                if chance.random() < 0.5:
                    cut(content, place)
                continue
            for offset, page in pages_of(place, more):
                if chance.random() < 0.5:
                    put(content, offset, page)
        return bytes(content)

    def shown(self):
        """Names and contents as the program saw them."""
        return {name: None if file is FOLDER else bytes(file.shown) for name, file in self.names.items()}


def write_out(left, folder):
    """Creates these files in an empty folder."""
    folder = pathlib.Path(folder)
    for name, content in left.items():
        path = folder / name
        if content is None:
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def chance_of(*words):
    return random.Random(" ".join(map(str, words)))
