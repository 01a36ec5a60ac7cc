/**
 * The agents of a server, by the names under which callers know them. Their modules are those that the operator names:
 * no code comes over HTTP.
 */
import * as AgentFile from "@backstitch/runtime/AgentFile"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Service that has the loaded agents. */
export class ServedAgents extends Context.Service<ServedAgents, ReadonlyMap<string, AgentFile.AgentFile>>()(
  "@backstitch/server/ServedAgents"
) {}

/** Layer that loads the module of each agent, and fails with the first that cannot be. */
export const layer = (files: Readonly<Record<string, string>>) =>
  Layer.effect(
    ServedAgents,
    Effect.map(
      Effect.forEach(Object.entries(files), ([name, file]) =>
        Effect.map(AgentFile.load(file, { undeclared: "permit" }), (agent) => [name, agent] as const)
      ),
      (agents): ReadonlyMap<string, AgentFile.AgentFile> => new Map(agents)
    )
  )
