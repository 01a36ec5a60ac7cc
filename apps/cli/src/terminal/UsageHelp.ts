/** Help for a command that was mistyped: the mistake, the expected form, and an example that works. */
import * as NearestName from "@backstitch/expressions/NearestName"
import type * as CliError from "effect/cli/CliError"
import type * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"

/**
 * The command that the words on a command line lead to, its call, and the names of the flags that every command takes.
 */
export interface FoundCommand {
  readonly command: Command.Command.Any
  readonly path: ReadonlyArray<string>
  readonly everywhere: ReadonlyArray<string>
}

/** A program, with the names of the flags that each of its commands takes. */
export interface Program {
  readonly root: Command.Command.Any
  readonly everywhere: ReadonlyArray<string>
}

/** Finds the intended command, as far as the words lead. */
export const find = ({ everywhere, root }: Program, args: ReadonlyArray<string>): FoundCommand => {
  let place: FoundCommand = { command: root, path: [root.name], everywhere }
  for (const word of args) {
    if (word === "--") break
    const next = place.command.subcommands.flatMap(({ commands }) => commands).find(({ name }) => name === word)
    if (next !== undefined) place = { command: next, path: [...place.path, word], everywhere }
  }
  return place
}

/** Tells whether a command takes the first flag that a hint names in backticks. */
export const isFor = ({ command }: FoundCommand, hint: string): boolean => {
  const [, name = ""] = /`--([\w-]+)`/.exec(hint) ?? []
  return Completions.fromCommand(command).flags.some((flag) => flag.name === name)
}

/** Describes one mistake. */
export const describe = (error: CliError.CliError, { command, everywhere, path }: FoundCommand): string => {
  const program = `\`${path.join(" ")}\``
  const { arguments: positions, flags } = Completions.fromCommand(command)
  switch (error._tag) {
    case "UnrecognizedOption": {
      const suggestions = near(error, everywhere)
      if (suggestions.length > 0 || flags.length === 0) {
        return `There is no flag ${error.option} of ${program}${meant(suggestions)}`
      }
      return `There is no flag ${error.option} of ${program}. It takes ${takes(positions, flags)}`
    }
    case "UnknownSubcommand": {
      const parent = (error.parent ?? path).join(" ")
      return `There is no command "${error.subcommand}" of \`${parent}\`${meant(error.suggestions)}`
    }
    case "MissingArgument": {
      const says = positions.find(({ name }) => name === error.argument)?.description
      return `${program} needs ${error.argument.toUpperCase()}${says === undefined ? "" : `: ${small(says)}`}`
    }
    case "MissingOption": {
      const says = flags.find(({ name }) => name === error.option)?.description
      return `${program} needs --${error.option}${says === undefined ? "" : `: ${small(says)}`}`
    }
    case "UnexpectedArgument": {
      const all = positions.length === 0 ? "nothing but flags" : takes(positions, [])
      const odd = error.arguments.map((each) => JSON.stringify(each)).join(", ")
      const attached = flags.find(({ optionalValue }) => optionalValue === true)?.name
      const how =
        attached === undefined
          ? "A value with spaces needs quotes"
          : `A value of --${attached} is attached: --${attached}=${error.arguments[0]}`
      return `${program} takes ${all}, and ${odd} is too much. ${how}`
    }
    case "InvalidValue":
      return invalid(error)
    default:
      return error.message
  }
}

/** The flags that may be meant. The library knows those of the command alone, so a nearer one of all commands wins. */
const near = (
  { option, suggestions }: CliError.UnrecognizedOption,
  everywhere: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const all = everywhere.map((name) => `--${name}`)
  const nearest = NearestName.nearest(bare(option), [...suggestions, ...all].map(bare))
  return nearest !== undefined && !suggestions.map(bare).includes(nearest) ? [`--${nearest}`] : suggestions
}

const bare = (flag: string): string => flag.replace(/^-+/, "")

const takes = (
  positions: ReadonlyArray<Completions.ArgumentDescriptor>,
  flags: ReadonlyArray<Completions.FlagDescriptor>
): string => [...positions.map(({ name }) => name.toUpperCase()), ...flags.map(({ name }) => `--${name}`)].join(", ")

const invalid = ({ expected, kind, option, value }: CliError.InvalidValue): string => {
  const name = kind === "argument" ? option.toUpperCase() : `--${option}`
  if (expected.startsWith("--")) return expected
  const wanted = expected
    .replace(/^Expected:? (a string representing )?/, "")
    .replace(/^(a finite number|an integer|a safe integer)\b.*/, "a whole number")
    .replace(/^"(.*)"$/, (_, words: string) => words.split('" | "').join(", "))
  return value === ""
    ? `${name} needs a value: ${wanted}`
    : `${name} cannot be ${JSON.stringify(value)}: give ${wanted}`
}

const meant = (suggestions: ReadonlyArray<string>): string =>
  suggestions.length === 0 ? "" : `. Did you mean ${suggestions.join(" or ")}?`

/** Begins a description with a small letter, for the middle of a sentence. */
const small = (text: string): string => (/^[A-Z][a-z]/.test(text) ? text[0]!.toLowerCase() + text.slice(1) : text)

/**
 * Lists hints: an example of the command, and its help. The example has a flag with which the problem says that it is
 * mended, if any has one.
 */
export const hints = ({ command, path }: FoundCommand, problem = ""): ReadonlyArray<string> => {
  const mends = [...problem.matchAll(/(?<!\bgo )\bwith (--[\w-]+)/g)].map(([, flag = ""]) => flag)
  const hasOne = ({ command: call }: Command.Command.Example): boolean =>
    call.split(" ").some((word) => mends.includes(word))
  const example = command.examples.find(hasOne) ?? command.examples[0]
  return [
    ...(example === undefined ? [] : [`Example: ${example.command}`]),
    `Try \`${path.join(" ")} --help\` for everything that it takes`
  ]
}
