/** Version of the program: that of its package. */
import manifest from "../../package.json" with { type: "json" }

/** Version of the program. */
export const version: string = manifest.version
