/**
 * Version of the program: that of its package.
 *
 * @since 0.1.0
 */
import manifest from "../../package.json" with { type: "json" }

/**
 * Version of the program.
 *
 * @category constants
 * @since 0.1.0
 */
export const version: string = manifest.version
