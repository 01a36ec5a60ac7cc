/**
 * Addresses of stores: of a file, of a server, or of memory.
 *
 * @since 0.1.0
 */

/**
 * The file of a store that is one.
 *
 * @category getters
 * @since 0.1.0
 */
export const fileOf = (address: string): string | undefined =>
  isServer(address) || address.endsWith(":memory:") || address === "memory:"
    ? undefined
    : address.replace(/^(sqlite|file):(\/\/(?=\/))?/, "")

/**
 * Tells whether an address names a server.
 *
 * @category guards
 * @since 0.1.0
 */
export const isServer = (address: string): boolean => /^postgres(ql)?:\/\//.test(address)
