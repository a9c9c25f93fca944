import { useFormats } from '../../../language/formats.js';
import { useTexts } from '../../../language/language.js';
import type { Experiment } from '../protocol/experiments.js';
import { texts } from './laboratory-texts.js';

/** What an experiment was, with what was chosen for it. */
export function useExperimentLabel(): (experiment: Experiment) => string {
  const t = useTexts(texts);
  const { number } = useFormats();
  return (experiment) => {
    const { label } = t.experiment[experiment.name];
    switch (experiment.name) {
      case 'flip':
        return `${label} (${t.parts[experiment.part]})`;
      case 'clock':
        return `${label} (${number(experiment.minutes)} ${t.minutes.toLowerCase()})`;
      case 'copies':
        return `${label} (${t.copies[experiment.of].toLowerCase()})`;
      default:
        return label;
    }
  };
}
