/** Answers what is no request of HTTP, or does not arrive in time, with a problem, and closes the connection. */
import type { Duplex } from "node:stream"
import * as Problem from "@backstitch/api/Problem"

const slow = Problem.make("RequestSlow", 408, { detail: "The request did not arrive in time" })
const malformed = Problem.make("RequestInvalid", 400, {
  detail: "This is no request of HTTP, or its headers are too large"
})

/** Answers on a connection whose request could not be read. */
export const answer = (error: Error & { readonly code?: string }, socket: Duplex): void => {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy()
    return
  }
  const problem = error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? slow : malformed
  const body = JSON.stringify(problem)
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.status === 408 ? "Request Timeout" : "Bad Request"}\r\n` +
      `content-type: ${Problem.contentType}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
  )
}
