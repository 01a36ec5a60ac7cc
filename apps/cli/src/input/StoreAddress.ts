/** Addresses of stores: of a file, of a server, or of memory. */

/** The file of a store that is one. */
export const fileOf = (address: string): string | undefined =>
  isServer(address) || address.endsWith(":memory:") || address === "memory:"
    ? undefined
    : address.replace(/^(sqlite|file):(\/\/(?=\/))?/, "")

/** Tells whether an address names a server. */
export const isServer = (address: string): boolean => /^postgres(ql)?:\/\//.test(address)
