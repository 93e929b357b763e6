import { SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { formatExact, formatNumber } from '../../ui/format.ts'
import { optionsOf } from '../../ui/options-of.ts'
import { FormRow, PageContent, Section } from '../../ui/section.tsx'

/** The look of the dashboard in this browser or window. */
export function AppearanceSection() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <PageContent>
      <Section title="Appearance" intro="Saved in this browser only.">
        <FormRow label="Theme">
          <div>
            <SegmentedControl
              aria-label="Theme"
              value={colorScheme}
              onChange={setColorScheme}
              data={optionsOf({ auto: 'System', light: 'Light', dark: 'Dark' })}
            />
          </div>
        </FormRow>
        <FormRow label="Numbers and times" help="They follow the language of your system or browser.">
          <p className="num" style={{ paddingTop: 6 }}>
            {formatNumber(1_284_906)} · {formatExact(Date.now())}
          </p>
        </FormRow>
        <FormRow label="Motion and contrast">
          <p className="sm t3" style={{ paddingTop: 6 }}>
            They follow your system’s settings for reduced motion and more contrast.
          </p>
        </FormRow>
      </Section>
    </PageContent>
  )
}
