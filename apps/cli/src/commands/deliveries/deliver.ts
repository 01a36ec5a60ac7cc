/** `backstitch deliver`: takes in a provider's signed deliveries. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Option from "effect/Option"
import * as Flags from "../../input/Flags.ts"

const config = {
  file: Flags.fileArgument("file").pipe(
    Argument.withMetavar("FILE"),
    Argument.withDescription("The body as it came, byte for byte; - reads it from stdin"),
    Argument.optional,
    Argument.map(Option.getOrUndefined)
  ),
  agent: Flags.file(
    "agent",
    "FILE",
    "Module of the agent, whose tools read back what the provider says; on a server, its own agents do"
  ),
  tool: Flags.text("tool", "TOOL", "Tool that it is about, where the pack has several with a webhook"),
  run: Flags.text("run", "RUN", "Run that it is about; without it, the run that holds the key of the body"),
  signature: Flags.text("signature", "TEXT", "Signature as it came, where one header carries all of it"),
  headers: Flags.file(
    "headers",
    "FILE",
    "Headers as they came, one NAME: VALUE a line or JSON, the signature and its time among them"
  ),
  signatureHeader: Flags.text(
    "signature-header",
    "NAME",
    "Header of the signature, where it is not the one of its form"
  ),
  secretFile: Flags.file(
    "secret-file",
    "FILE",
    "File of the provider's secrets, one a line, where they are not in the variables that the contract names"
  ),
  serve: Flags.port(
    "serve",
    "Receive deliveries over HTTP on this port of this machine alone, until stopped; 0 for any"
  )
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const deliver = Command.make("deliver", config).pipe(
  Command.withDescription(
    "Take in what a provider tells of its own accord, such as a webhook about a payment. Its signature and its time are " +
      "checked in the form that the contract declares (hmac, github, standard_webhooks, stripe), under the secret that it " +
      "names, in an environment variable or a file and never on the command line. What is genuine ends a wait and is read " +
      "back before it is believed, and counts once however often it comes; what is not is an anomaly and changes nothing."
  ),
  Command.withShortDescription("Take in a provider's signed webhook"),
  Command.withExamples([
    {
      command: "backstitch deliver body.json --agent travel.ts --headers headers.txt",
      description: "A delivery that was kept, to the run that holds its key"
    },
    {
      command: "backstitch deliver - --agent travel.ts --tool charge_card --signature sha256=9f2b…",
      description: "A body from stdin"
    },
    {
      command: "backstitch deliver body.json --tool charge_card --headers headers.txt --server http://127.0.0.1:4747",
      description: "A delivery that was kept, to the runs of a server"
    },
    {
      command: "backstitch deliver --serve 8787 --agent travel.ts",
      description: "A receiver, for POST /TOOL, behind a proxy of yours"
    }
  ])
)
