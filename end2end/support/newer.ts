// A server that gets a new build: passes requests on, and can serve the same site under the name of another build.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export class NewerBuild {
  /** Whether it serves the new build. */
  isNew = false;
  /** What was asked for. */
  readonly asked: string[] = [];
  /** What the service worker begins with. */
  prelude = "";
  /** Where it listens. */
  origin = "";
  private readonly server: Server;

  private constructor(target: string) {
    this.server = createServer(async (asked, answer) => {
      this.asked.push(asked.url ?? "/");
      const { cookie = "", "accept-language": language = "" } = asked.headers;
      const path = (asked.url ?? "/").replace("/pkg/boot.new.", "/pkg/boot.");
      const got = await fetch(new URL(path, target), { headers: { cookie, "accept-language": language } });
      const kind = got.headers.get("content-type") ?? "";
      const bytes = Buffer.from(await got.arrayBuffer());
      const names = kind.startsWith("text/html") || asked.url === "/sw.js";
      answer.writeHead(got.status, {
        "content-type": kind,
        "content-security-policy": got.headers.get("content-security-policy") ?? "",
        "x-dns-prefetch-control": got.headers.get("x-dns-prefetch-control") ?? "",
        "cache-control": got.headers.get("cache-control") ?? "no-cache",
      });
      const prelude = Buffer.from(asked.url === "/sw.js" ? this.prelude : "");
      answer.end(this.isNew && names ? renamed(bytes.toString()) : Buffer.concat([prelude, bytes]));
    });
  }

  /** Begins to pass requests on to a server. */
  static async before(target: string): Promise<NewerBuild> {
    const it = new NewerBuild(target);
    await new Promise<void>((resolve) => it.server.listen(0, "127.0.0.1", resolve));
    it.origin = `http://127.0.0.1:${(it.server.address() as AddressInfo).port}`;
    return it;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

/** A document or the service worker, with the boot script and the version of another build. */
function renamed(text: string): string {
  return text.replaceAll("/pkg/boot.", "/pkg/boot.new.").replace('"site-', '"site-new-');
}
