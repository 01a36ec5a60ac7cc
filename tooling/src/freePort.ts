/** A port of this machine for a process that is started at an address which has to be known before. */
import { once } from "node:events"
import { createServer } from "node:net"

/** Finds a port of this machine that nobody listens at. */
export const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, "127.0.0.1")
  await once(probe, "listening")
  const address = probe.address()
  probe.close()
  await once(probe, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}
