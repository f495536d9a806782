// A connection that breaks: passes requests on to the server, and can cut the answers with weights in them short.

import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export class CuttingProxy {
  /** The byte at which each answer with weights began. */
  readonly began: number[] = [];
  /** How often a connection was cut. */
  cuts = 0;
  /** Bytes of weights that pass before a connection is cut; none is cut while this is infinite. */
  left = Number.POSITIVE_INFINITY;
  /** Whether nothing of the weights passes after a cut until `mend`. */
  private broken = false;
  private lasting = false;
  /** Where it listens. */
  origin = "";
  private readonly server: Server;

  private constructor(target: string) {
    this.server = createServer((asked, answer) => {
      const weights = asked.url?.startsWith("/api/blobs/") === true;
      if (weights && this.broken) {
        asked.socket.destroy();
        return;
      }
      const { method, headers } = asked;
      const passed = request(new URL(asked.url ?? "/", target), { method, headers }, (got) => {
        answer.writeHead(got.statusCode ?? 502, got.headers);
        if (!weights) {
          got.pipe(answer);
          return;
        }
        this.began.push(Number(/bytes=(\d+)/.exec(headers.range ?? "")?.[1] ?? 0));
        got.on("data", (bytes: Buffer) => {
          this.left -= bytes.length;
          if (this.left > 0) {
            if (!answer.write(bytes)) {
              got.pause();
              answer.once("drain", () => got.resume());
            }
            return;
          }
          this.cuts += 1;
          this.broken = this.lasting;
          this.left = Number.POSITIVE_INFINITY;
          got.destroy();
          asked.socket.destroy();
        });
        got.on("end", () => answer.end());
        answer.on("close", () => got.destroy());
      });
      passed.on("error", () => asked.socket.destroy());
      passed.end();
    });
  }

  /** Begins to pass requests on to a server. */
  static async before(target: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target);
    await new Promise<void>((resolve) => proxy.server.listen(0, "127.0.0.1", resolve));
    proxy.origin = `http://127.0.0.1:${(proxy.server.address() as AddressInfo).port}`;
    return proxy;
  }

  /** Cuts one connection after so many bytes of weights; if `lasting`, no other is let through after it. */
  cutAfter(bytes: number, lasting: boolean): void {
    [this.left, this.lasting] = [bytes, lasting];
  }

  /** Lets everything through again. */
  mend(): void {
    [this.left, this.broken, this.lasting] = [Number.POSITIVE_INFINITY, false, false];
  }

  /** Listens again where it did before it was closed. */
  async reopen(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(Number(new URL(this.origin).port), "127.0.0.1", resolve));
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
