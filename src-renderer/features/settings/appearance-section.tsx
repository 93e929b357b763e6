import { type MantineColorScheme, SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { formatExact, formatNumber } from '../../ui/format.ts'
import { FormRow, PageContent, Section } from './section.tsx'

const schemes: { value: MantineColorScheme; label: string }[] = [
  { value: 'auto', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

/** How the dashboard looks in this browser or window. */
export function AppearanceSection() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <PageContent>
      <Section title="Appearance" intro="Kept on this computer, for you alone.">
        <FormRow label="Theme">
          <div>
            <SegmentedControl
              aria-label="Theme"
              value={colorScheme}
              onChange={value =>
                setColorScheme(schemes.find(scheme => scheme.value === value)?.value ?? 'auto')
              }
              data={schemes}
            />
          </div>
        </FormRow>
        <FormRow
          label="Numbers and times"
          help="As your system writes them. Change the language of the system or the browser to change them."
        >
          <p className="num" style={{ paddingTop: 6 }}>
            {formatNumber(1_284_906)} · {formatExact(Date.now())}
          </p>
        </FormRow>
        <FormRow label="Motion and contrast">
          <p className="sm t3" style={{ paddingTop: 6 }}>
            Follow what the system is set to: reduced motion, more contrast.
          </p>
        </FormRow>
      </Section>
    </PageContent>
  )
}
