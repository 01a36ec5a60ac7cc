/** A printing press over HTTP: it prints a chapter once for each key, and counts what it has printed. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

/** A press that runs. */
export interface Press {
  readonly url: string
  /** Chapters in the order in which they were printed. */
  readonly printed: ReadonlyArray<string>
  readonly close: () => Promise<void>
}

/** Starts a press on a free port of this machine. */
export const start = async (): Promise<Press> => {
  const printed: Array<string> = []
  const receipts = new Map<string, { readonly chapter: string; readonly receipt: number }>()
  const server = createServer(async (request, response) => {
    const key = decodeURIComponent(request.url?.slice(1) ?? "")
    const answer = (status: number, body: unknown) => response.writeHead(status).end(JSON.stringify(body))
    if (request.method === "GET") {
      const known = receipts.get(key)
      return known === undefined ? answer(404, null) : answer(200, known)
    }
    const { chapter } = JSON.parse(await text(request)) as { chapter: string }
    const known = receipts.get(key)
    if (key !== "" && known !== undefined) return answer(200, known)
    printed.push(chapter)
    const made = { chapter, receipt: printed.length }
    receipts.set(key, made)
    return answer(200, made)
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    printed,
    close: () => new Promise((closed) => server.close(() => closed()))
  }
}
