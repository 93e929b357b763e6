import {
  type KnowledgeChoice,
  KnowledgeEncoding,
  type KnowledgeFile,
  KnowledgeSeparator,
} from '#shared/model/platform/knowledge.ts'
import { encodings, separators } from '#shared/platform/encodings.ts'
import { Fact } from '../../../ui/fact.tsx'
import { SearchSelect } from '../../../ui/search-select.tsx'
import { useReadAgain } from './use-files.ts'

/** Lets the service guess. */
const auto = 'auto'

/** How a text was read, and other ways to read it. A choice reads the file again. */
export function ReadingChoice({ file }: { readonly file: KnowledgeFile }) {
  const { fileId, encoding, separator, chosen } = file
  const { mutate: read, isPending } = useReadAgain()
  const choose = (choice: Partial<KnowledgeChoice>) => read({ fileId, ...choice })
  const separatorName = separator === null ? 'no columns' : separators[separator]
  return (
    <>
      <Fact name="Encoding">
        <SearchSelect
          size="xs"
          aria-label="Encoding"
          disabled={isPending}
          nothingFoundMessage="No such encoding"
          data={[
            {
              value: auto,
              label: guessed(chosen.encoding, encoding === null ? null : encodings[encoding].name),
            },
            ...encodingOptions,
          ]}
          value={chosen.encoding ?? auto}
          onChange={value => choose({ encoding: KnowledgeEncoding.safeParse(value).data ?? null })}
        />
      </Fact>
      <Fact name="Columns by">
        <SearchSelect
          size="xs"
          aria-label="Separator"
          disabled={isPending}
          data={[
            {
              value: auto,
              label: guessed(chosen.separator, separatorName),
            },
            ...KnowledgeSeparator.options.map(value => ({ value, label: capitalized(separators[value]) })),
          ]}
          value={chosen.separator ?? auto}
          onChange={value => choose({ separator: KnowledgeSeparator.safeParse(value).data ?? null })}
        />
      </Fact>
    </>
  )
}

/** Names the guess of the service, which is not known while something else is chosen. */
const guessed = (chosen: string | null, name: string | null) =>
  chosen === null && name !== null ? `Recognized: ${name}` : 'Recognize it'

const encodingOptions = KnowledgeEncoding.options.map(value => ({
  value,
  label: `${encodings[value].name} (${encodings[value].region})`,
}))

const capitalized = (text: string) => text.replace(/^./, letter => letter.toUpperCase())
