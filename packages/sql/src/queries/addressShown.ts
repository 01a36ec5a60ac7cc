/**
 * Shows the address of a database to people: its server and its name, without the user, the password and the
 * parameters, in which drivers take a password, too.
 */
export const addressShown = (url: string): string => {
  const { hostname, pathname, port } = new URL(url)
  return `postgres://${hostname}${port === "" ? "" : `:${port}`}${pathname}`
}
