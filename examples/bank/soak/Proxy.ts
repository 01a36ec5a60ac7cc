/** A proxy on this machine that cuts the connections that go through it. */
import { connect, createServer, type Socket } from "node:net"

/** A running proxy. */
export interface Proxy {
  readonly port: number
  /** Ends every connection that is open. */
  readonly cut: () => void
  readonly close: () => Promise<void>
}

/** Starts a proxy to a port of this machine. */
export const start = async (target: number): Promise<Proxy> => {
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1")
    for (const [one, other] of [
      [near, far],
      [far, near]
    ] as const) {
      open.add(one)
      one.pipe(other)
      one.on("error", () => other.destroy())
      one.on("close", () => {
        open.delete(one)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
  const address = server.address()
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    cut,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        cut()
      })
  }
}
