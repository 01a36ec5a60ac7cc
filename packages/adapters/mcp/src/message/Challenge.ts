/**
 * The challenge with which a server at an address answers a client without a token, or with a token that it does not
 * accept. It tells the client which authorization server gives one.
 *
 * A token of a client is passed to the server with each request of that client, and is kept nowhere else.
 *
 * @source MCP, 2025-11-25, "Authorization"; RFC 9728
 */

/** A challenge, as it arrived. */
export interface Challenge {
  readonly status: 401 | 403
  /** The `WWW-Authenticate` header. */
  readonly authenticate: string
}

/** Reads the challenge of a response; `undefined` if it is none. */
export const of = (response: Response): Challenge | undefined => {
  const { headers, status } = response
  const authenticate = headers.get("www-authenticate")
  if ((status !== 401 && status !== 403) || authenticate === null) return undefined
  // No header of a response may carry another character.
  return { status, authenticate: authenticate.replace(/[^\t\x20-\x7e]/g, "") }
}

/** The path of a description of a protected resource, without the path of the resource. */
export const descriptionPath = "/.well-known/oauth-protected-resource"

/** The address at which the server at an address describes itself as a protected resource. */
export const descriptionOf = (url: string): URL => {
  const at = new URL(url)
  return new URL(`${descriptionPath}${at.pathname === "/" ? "" : at.pathname}`, at)
}
