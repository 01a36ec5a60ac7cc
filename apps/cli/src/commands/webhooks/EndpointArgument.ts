/** The argument that names an endpoint. */
import * as Argument from "effect/cli/Argument"

/** The endpoint, by its id. */
export const endpoint = Argument.String("endpoint").pipe(
  Argument.withMetavar("ENDPOINT"),
  Argument.withDescription("Id of the endpoint, as `webhook list` shows it")
)
