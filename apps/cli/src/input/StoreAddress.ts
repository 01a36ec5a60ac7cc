/** Addresses of stores: of a file, a server, or memory. */

/** The file of a store, if its address names one. */
export const fileOf = (address: string): string | undefined =>
  isServer(address) || address.endsWith(":memory:") || address === "memory:"
    ? undefined
    : address.replace(/^(sqlite|file):(\/\/(?=\/))?/, "")

/** Tells whether an address names a server. */
export const isServer = (address: string): boolean => /^postgres(ql)?:\/\//.test(address)
