from .linemap import Preprocessed
